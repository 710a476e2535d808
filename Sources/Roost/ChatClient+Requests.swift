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

    /// Makes one call as the user of the current connection; stores nothing of the answer.
    func ask<Call: Question>(_ call: Call) async throws(RoostError) -> Call.Output {
        try await inWorld { () async throws(RoostError) -> Call.Output in
            try await answer(to: call)
        }
    }

    /// Does work on the world's executor for calls, if it has one and the task prefers no other.
    ///
    /// A simulation has one: work on the shared pool would take place outside of its time. A live
    /// client has none.
    func inWorld<Value: Sendable>(
        _ work: @Sendable () async throws(RoostError) -> Value
    ) async throws(RoostError) -> Value {
        guard let executor = world.callExecutor, !Task.prefersExecutor else {
            return try await work()
        }
        return try await withTaskExecutorPreference(executor) {
            () async throws(RoostError) -> Value in
            try await work()
        }
    }

    private func answer<Call: Question>(
        to call: Call
    ) async throws(RoostError) -> Call.Output {
        let session = try await presentSession()
        do throws(RoostError) {
            return try await engine.performers.api.call(
                call, sessionKey: session.login.sessionKey)
        } catch {
            await engine.receive(.refusedKey(error, session.epoch))
            throw error
        }
    }

    /// Makes several requests within the time limit of one call.
    func inTime<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(RoostError) -> Value
    ) async throws(RoostError) -> Value {
        let (clock, executor) = (world.clock, world.executor)
        let result = await withTaskGroup(of: Result<Value, RoostError>?.self) { group in
            group.addTask(executorPreference: executor) { await Result(work) }
            group.addTask(executorPreference: executor) {
                do throws(CancellationError) {
                    try await clock.sleep(for: InTime.timeLimit)
                } catch {
                    // The caller's cancellation ends the requests, too.
                    return nil
                }
                return .failure(.overdue)
            }
            for await case let result? in group {
                group.cancelAll()
                return result
            }
            return .failure(.overdue)
        }
        return try result.get()
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

    /// Requests a change of a channel; the effect is on disk at the return, unless other changes
    /// delay its look-up beyond the time limit of a call.
    @discardableResult
    func act(
        _ question: ServerQuestion, _ effect: ChannelAct.Effect
    ) async throws(RoostError) -> Outcome {
        try await engine.run(.inTime(InTime(.channelAct(ChannelAct(question, effect)))))
    }

    /// Requests a change of a channel, and returns the changed channel.
    func change(_ question: ServerQuestion) async throws(RoostError) -> GroupChannel {
        guard let changed = try await act(question, .answered).channel else { throw .outOfStep }
        return changed
    }

    /// Requests a change of a channel, and looks the channel up.
    func request(
        _ request: ChannelRequest, thenLookUp channel: ChannelURL
    ) async throws(RoostError) {
        try await act(.request(request), .unknown(channel))
    }

    // MARK: The disk

    /// Commits mutations for the user.
    func commit(_ mutations: [Mutation]) async throws(RoostError) {
        try await engine.run(.storing(Storing(mutations, from: .local)))
    }

    /// Commits mutations, unless a condition holds at that moment.
    ///
    /// - Returns: Whether they were committed.
    func commit(
        _ mutations: [Mutation], unless condition: CommitCondition
    ) async throws(RoostError) -> Bool {
        try await engine.run(
            .storing(Storing(mutations, from: .local, unless: condition)), \.flag)
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

extension Task where Success == Never, Failure == Never {
    /// Whether the current task has a preferred executor, its own or that of its parent.
    fileprivate static var prefersExecutor: Bool {
        // SAFETY: the reference does not leave the closure, in which its task is the current one.
        unsafe withUnsafeCurrentTask { task in unsafe task?.unownedTaskExecutor != nil }
    }
}
