// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostStore
import RoostTransport
import RoostWire

/// A file to upload.
struct HTTPBodySource: Sendable {
    let reader: AttachmentReader
    let meter: UploadMeter

    /// Returns the body of a form that contains the file.
    func body(of upload: UploadFile) -> HTTPBody {
        let (head, tail) = (upload.head, upload.tail)
        let stage = Guarded(0)
        return HTTPBody(length: Int64(head.count) + reader.size + Int64(tail.count)) {
            let place = stage.withLock { stage in
                defer { if stage != 1 { stage += 1 } }
                return stage
            }
            if place == 0 { return head }
            if place == 1 {
                guard let bytes = reader.next() else { return nil }
                if !bytes.isEmpty {
                    meter.add(bytes.count)
                    return bytes
                }
                stage.withLock { $0 = 3 }
                return tail
            }
            return []
        }
    }
}

/// Counts the uploaded bytes, and reports every hundredth part.
final class UploadMeter: Sendable {
    private let requestID: RequestID
    private let total: Int64
    private let sent: Guarded<(now: Int64, told: Int64)>
    private let observers: OutboxObservers

    init(_ requestID: RequestID, before: Int64, total: Int64, _ observers: OutboxObservers) {
        self.requestID = requestID
        self.total = total
        self.observers = observers
        sent = Guarded((before, before))
    }

    func add(_ count: Int) {
        let news = sent.withLock { sent -> Int64? in
            sent.now += Int64(count)
            guard sent.now - sent.told >= max(total / 100, 1) || sent.now == total else {
                return nil
            }
            sent.told = sent.now
            return sent.now
        }
        guard let news else { return }
        observers.publish(
            .uploading(
                requestID,
                UploadProgress(sent: ByteCount(bytes: news), total: ByteCount(bytes: total))))
    }
}

/// The readers of the outbox's events; safe to call from any thread.
final class OutboxObservers: Sendable {
    /// Nil once the observers are finished.
    private let streams = Guarded<[AsyncStream<OutboxEvent>.Continuation]?>([])

    func open() -> AsyncStream<OutboxEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
        let isOpen = streams.withLock { streams in
            streams?.append(continuation)
            return streams != nil
        }
        if !isOpen { continuation.finish() }
        return stream
    }

    func publish(_ event: OutboxEvent) {
        streams.withLock { streams in
            streams?.removeAll { stream in
                if case .terminated = stream.yield(event) { true } else { false }
            }
        }
    }

    func finish() {
        streams.withLock { streams in
            for stream in streams ?? [] { stream.finish() }
            streams = nil
        }
    }
}
