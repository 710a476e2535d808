// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore
import RoostTransport
import RoostWire

/// Uploads the files of messages; does not retry.
final class UploadPerformer: Sendable {
    private struct Running {
        /// The uploads in flight, by the request IDs of their messages.
        var tasks: [RequestID: Task<Void, Never>] = [:]
        var isClosed = false
    }

    private let store: OutboxStore
    private let api: ServerAPI
    private let events: StreamFeed<OutboxEvent>
    private let feed: InputFeed
    private let running = Guarded(Running())

    init(
        _ store: OutboxStore, _ api: ServerAPI, _ events: StreamFeed<OutboxEvent>,
        _ feed: InputFeed
    ) {
        self.store = store
        self.api = api
        self.events = events
        self.feed = feed
    }

    /// Uploads a file for an operation.
    func upload(
        _ file: FileUpload, sessionKey: String?, for id: SyncMachine.OperationID
    ) {
        let requestID = file.upload.requestID
        // Under the lock, so that the task is noted before its end.
        running.withLock { running in
            guard !running.isClosed else { return }
            // The task ends when the message is canceled or the client closes.
            running.tasks[requestID] = Task(executorPreference: feed.executor) {
                let result = await Result { () async throws(RoostError) in
                    try await self.upload(file, sessionKey: sessionKey)
                }
                let isClosed = self.running.withLock { running in
                    running.tasks[requestID] = nil
                    return running.isClosed
                }
                // A cancellation by the closing is no failure of the message.
                if isClosed, result.failure != nil { return }
                await self.feed.give(.reply(id, .answer(Answered(result))))
            }
        }
    }

    func cancel(_ requestID: RequestID) {
        running.withLock { $0.tasks[requestID] }?.cancel()
    }

    /// Ends all uploads; their messages stay in the outbox.
    func close() {
        let tasks = running.withLock { running in
            running.isClosed = true
            return Array(running.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    private func upload(
        _ file: FileUpload, sessionKey: String?
    ) async throws(RoostError) -> ServerAnswer {
        let reader: AttachmentReader
        do { reader = try store.reader(of: file.file, file.copy) } catch {
            throw RoostError(error)
        }
        guard let sessionKey else { throw .notConnected }
        let meter = UploadMeter(
            file.upload.requestID, before: file.before, total: file.total, events)
        return .uploaded(
            try await api.upload(file.upload, from: reader, sessionKey: sessionKey) {
                meter.add($0)
            })
    }
}

extension HTTPBody {
    /// Creates the body of a form that contains a file.
    ///
    /// - Parameters:
    ///   - upload: The form.
    ///   - reader: The reader of the file's bytes.
    ///   - note: Gets the number of bytes of each piece of the file.
    init(
        of upload: UploadFile, from reader: AttachmentReader,
        note: @escaping @Sendable (Int) -> Void
    ) {
        let (head, tail) = (upload.head, upload.tail)
        let next = Guarded(Part.head)
        self.init(length: Int64(head.count) + reader.size + Int64(tail.count)) {
            switch next.withLock({ $0 }) {
            case .head:
                next.withLock { $0 = .file }
                return head
            case .file:
                guard let bytes = reader.next() else { return nil }
                guard bytes.isEmpty else {
                    note(bytes.count)
                    return bytes
                }
                next.withLock { $0 = .end }
                return tail
            case .end: return []
            }
        }
    }

    /// A part of the body; the form's tail follows the file's last bytes.
    private enum Part { case head, file, end }
}

/// Counts the uploaded bytes, and reports every hundredth part.
private final class UploadMeter: Sendable {
    private let requestID: RequestID
    private let total: Int64
    private let sent: Guarded<(now: Int64, reported: Int64)>
    private let events: StreamFeed<OutboxEvent>

    init(_ requestID: RequestID, before: Int64, total: Int64, _ events: StreamFeed<OutboxEvent>) {
        self.requestID = requestID
        self.total = total
        self.events = events
        sent = Guarded((before, before))
    }

    func add(_ count: Int) {
        let news = sent.withLock { sent -> Int64? in
            sent.now = sent.now.addingSaturated(Int64(count))
            guard sent.now - sent.reported >= max(total / 100, 1) || sent.now == total else {
                return nil
            }
            sent.reported = sent.now
            return sent.now
        }
        guard let news else { return }
        events.publish(
            .uploading(
                requestID,
                UploadProgress(sent: ByteCount(bytes: news), total: ByteCount(bytes: total))))
    }
}
