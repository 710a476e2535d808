// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTransport
import RoostWire

// The shapes that the public calls share.

extension ChatClient {
    // MARK: The server

    private func presentSession() async throws(RoostError) -> Session {
        let (session, absence) = await engine.read { ($0.session, $0.link.absence) }
        guard let session else { throw absence }
        return session
    }

    /// Makes one call as the user of the present connection; stores nothing of the answer.
    func ask<Call: Question>(_ call: Call) async throws(RoostError) -> Call.Output {
        let session = try await presentSession()
        do throws(RoostError) {
            return try await engine.performers.api.call(
                call, sessionKey: session.login.sessionKey)
        } catch {
            await engine.receive(.refusedKey(error, session.epoch))
            throw error
        }
    }

    /// Uploads a file, and returns it with its address at the server; keeps nothing of it.
    func uploaded(
        _ file: OutgoingFile, for channel: ChannelURL?
    ) async throws(RoostError) -> OutgoingFile {
        let session = try await presentSession()
        let upload = UploadFile(
            channelURL: channel, requestID: RequestID.random { world.entropy() }, name: file.name,
            type: file.type, thumbnailSizes: file.thumbnailSizes)
        let reader: AttachmentReader
        do { reader = try store.outbox.reader(of: file, nil) } catch { throw RoostError(error) }
        do throws(RoostError) {
            let found = try await engine.performers.api.upload(
                upload, from: reader, sessionKey: session.login.sessionKey)
            var uploaded = file
            uploaded.source = .url(found.url)
            uploaded.thumbnails = found.thumbnails
            uploaded.requiresAuth = found.requiresAuth
            uploaded.size = ByteCount(bytes: found.size ?? reader.size)
            return uploaded
        } catch {
            await engine.receive(.refusedKey(error, session.epoch))
            throw error
        }
    }

    /// Requests a change of a channel; the effect is on disk at the return.
    @discardableResult
    func act(
        _ question: ServerQuestion, _ effect: ChannelAct.Effect
    ) async throws(RoostError) -> Outcome {
        try await engine.run(.channelAct(ChannelAct(question, effect)))
    }

    /// Requests a change of a channel, and returns the changed channel.
    func change(_ question: ServerQuestion) async throws(RoostError) -> GroupChannel {
        try await engine.run(
            .inTime(InTime(.channelAct(ChannelAct(question, .answered)))), \.channel)
    }

    /// Requests a change of a channel, and looks the channel up.
    func request(
        _ request: ChannelRequest, thenLookUp channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.run(
            .inTime(InTime(.channelAct(ChannelAct(.request(request), .unknown(channel))))))
    }

    // MARK: The disk

    /// Commits mutations for the user.
    func commit(_ mutations: [Mutation]) async throws(RoostError) {
        try await engine.run(.storing(Storing(mutations, from: .local)))
    }

    /// Does work on the disk.
    func onDisk<Value>(
        _ work: (Store) async throws(StoreError) -> Value
    ) async throws(RoostError) -> Value {
        do { return try await work(store) } catch { throw RoostError(error) }
    }

    /// Reads the cache.
    func read<Value>(
        _ question: (StoreReader) async throws(StoreError) -> Value
    ) async throws(RoostError) -> Value {
        do { return try await question(store.readers[0]) } catch { throw RoostError(error) }
    }

    /// Reads the cache for a long time: on the reader of searches, so that reads of pages do not
    /// wait.
    func readAtLength<Value>(
        _ question: (StoreReader) async throws(StoreError) -> Snapshot<Value>
    ) async throws(RoostError) -> Value {
        do { return try await question(store.readers[store.readers.count - 1]).value } catch {
            throw RoostError(error)
        }
    }
}
