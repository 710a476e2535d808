// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// The outbox: its calls, its streams, and the uploads of files.

extension SyncEngine {
    /// Loads the unsent items of an earlier run.
    func openOutbox(of user: User) async throws(RoostError) {
        try await run(
            .outbox(.opening(OutboxOpening(of: user, files: store.outbox.attachments))))
        let rings = await store.outbox.rings()
        // The task ends when the store closes its bell.
        Task(executorPreference: executor) { [weak self] in
            for await _ in rings { await self?.receive(.outbox(.rang)) }
        }
    }

    /// Queues a message, and returns it as a timeline shows it.
    func send(
        _ content: OutboxContent, to channel: ChannelURL, as requestID: RequestID?
    ) async throws(RoostError) -> Message {
        let outcome = try await run(
            .outbox(.sending(OutboxSending(content, to: channel, as: requestID))))
        guard case .item(let item) = outcome, let message = sync.outbox.message(item) else {
            throw .outOfStep
        }
        return message
    }

    /// Queues a change; returns its request ID.
    func change(
        _ action: PendingChange.Action, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        let outcome = try await run(.outbox(.changing(OutboxChanging(action, in: channel))))
        guard case .request(let requestID) = outcome else { throw .outOfStep }
        return requestID
    }

    func resend(_ requestID: RequestID) async -> Bool {
        let outcome = try? await run(.outbox(.resending(OutboxResending(requestID))))
        return outcome == .flag(true)
    }

    func cancel(_ requestID: RequestID) async {
        _ = try? await run(.outbox(.canceling(OutboxCanceling(requestID))))
    }

    func outcome(of requestID: RequestID) async throws(RoostError) {
        try await run(.outbox(.outcome(OutboxOutcome(requestID))))
    }

    func refusals(in channel: ChannelURL?) async -> [ChangeRefusal] {
        let outcome = try? await run(.outbox(.refusals(OutboxRefusals(in: channel))))
        guard case .refusals(let refusals)? = outcome else { return [] }
        return refusals
    }

    func unsent(in channel: ChannelURL) -> [Message] { sync.outbox.unsent(in: channel) }

    func pendingChanges(in channel: ChannelURL) -> [PendingChange] {
        sync.outbox.pendingChanges(in: channel)
    }

    func isUploading(_ requestID: RequestID) -> Bool { sync.outbox.isUploading(requestID) }

    // MARK: Files

    /// Uploads a file for an operation; does not retry.
    func upload(_ file: FileUpload, sessionKey key: String?, for id: SyncMachine.OperationID) {
        let requestID = file.upload.requestID
        // The task ends when the message is canceled or the store closes.
        uploads[requestID] = Task(executorPreference: executor) {
            let result = await Result { () async throws(RoostError) in
                try await self.upload(file, sessionKey: key)
            }
            await self.endUpload(of: requestID, result, for: id)
        }
    }

    private func upload(
        _ file: FileUpload, sessionKey key: String?
    ) async throws(RoostError) -> ServerAnswer {
        let reader: AttachmentReader
        do { reader = try store.outbox.reader(of: file.file, file.copy) } catch {
            throw RoostError(error)
        }
        guard let key else { throw .notConnected }
        let meter = UploadMeter(
            file.upload.requestID, before: file.before, total: file.total, outboxObservers)
        let source = HTTPBodySource(reader: reader, meter: meter)
        return .uploaded(
            try await api.upload(file.upload, source.body(of: file.upload), sessionKey: key))
    }

    private func endUpload(
        of requestID: RequestID, _ result: Result<ServerAnswer, RoostError>,
        for id: SyncMachine.OperationID
    ) {
        uploads[requestID] = nil
        receive(.reply(id, .answer(Answered(result))))
    }
}
