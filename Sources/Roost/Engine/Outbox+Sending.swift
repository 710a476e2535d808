// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore
import RoostTransport
import RoostWire

// One attempt: the files first, each with its address on disk before the next step; then the message.

extension Outbox {
    func transmit(_ requestID: RequestID) async {
        // An upload that a lost connection outlived goes on; its message follows it once.
        guard machine.isOnItsWay(requestID), uploads[requestID] == nil,
            let index = index(of: requestID)
        else { return }
        // A suspension has given the turn away; `resume` asks for it again.
        guard store.turn != nil else { return await receive(.wentOffline) }
        if items[index].hasUploads, let error = await upload(items[index]) {
            return await fail(requestID, error, .upload)
        }
        // An upload outlives a suspension too.
        guard store.turn != nil else { return await receive(.wentOffline) }
        // It may have been taken back meanwhile, or delivered by another way.
        guard let index = self.index(of: requestID), items[index].state == .pending,
            !items[index].hasUploads
        else { return }
        let isOnline = machine.isOnItsWay(requestID)
        switch await surroundings.deliver(items[index], isOnline) {
        case .awaitsAnswer: await receive(.left(requestID))
        case .done(let message?): await delivered(message)
        case .done(nil): await made(requestID)
        case .isMoot: await dropped(requestID)
        case .failed(let error, let stage): await fail(requestID, error, stage)
        }
    }

    /// The server has a message, whoever said so.
    func delivered(_ message: Message) async {
        guard let requestID = message.requestID else { return }
        let isOurs = index(of: requestID) != nil
        await receive(.delivered(requestID, message.messageID))
        if isOurs { observers.publish(.delivered(message)) }
    }

    /// The server has made a change.
    func made(_ requestID: RequestID) async {
        guard let index = index(of: requestID), let change = items[index].change else { return }
        await receive(.delivered(requestID, nil))
        observers.publish(.changeMade(change))
    }

    private func dropped(_ requestID: RequestID) async {
        guard let index = index(of: requestID), let change = items[index].change else { return }
        let isMark = if case .markAsRead = change.action { true } else { false }
        resumeWaiters(of: requestID, with: isMark ? .nothingToMark : .nothingToChange)
        await receive(.canceled(requestID))
        observers.publish(.changeDropped(change))
    }

    /// The server said no to something that was sent over the socket.
    func refused(_ requestID: RequestID, _ error: RoostError) async {
        guard let index = index(of: requestID) else { return }
        await fail(requestID, error, items[index].content.isChange ? .change : .socket)
    }

    private func fail(_ requestID: RequestID, _ error: RoostError, _ stage: SendStage) async {
        reasons[requestID] = error
        await receive(.failed(requestID, error.code, stage))
        guard let index = index(of: requestID), items[index].state == .pending,
            let message = message(items[index])
        else { return }
        observers.publish(.delayed(message, error.code))
    }

    // MARK: Files

    /// Whether a message with files waits or is being uploaded.
    func isUploading(_ requestID: RequestID) -> Bool {
        index(of: requestID).map { items[$0].hasUploads } ?? false
    }

    /// Uploads what is not uploaded yet; who comes while it runs waits for the same upload.
    private func upload(_ item: OutboxItem) async -> RoostError? {
        if let running = uploads[item.requestID] { return await running.value }
        let task = Task(executorPreference: world.executor) { () -> RoostError? in
            do throws(RoostError) {
                try await self.uploadFiles(of: item.requestID)
                return nil
            } catch {
                return error
            }
        }
        uploads[item.requestID] = task
        let error = await task.value
        uploads[item.requestID] = nil
        return error
    }

    private func uploadFiles(of requestID: RequestID) async throws(RoostError) {
        while let index = index(of: requestID),
            case .fileMessage(let params, let copies) = items[index].content,
            let place = params.files.firstIndex(where: { $0.url == nil })
        {
            let file = params.files[place]
            let reader: AttachmentReader
            do { reader = try store.reader(of: file, copies[place]) } catch {
                throw RoostError(error)
            }
            let sizes = params.files.map { $0.size?.bytes ?? 0 }
            let meter = UploadMeter(
                requestID, before: sizes[..<place].reduce(0, +), total: sizes.reduce(0, +),
                observers)
            let found = try await surroundings.upload(
                UploadFile(
                    channelURL: items[index].channel, requestID: requestID, name: file.name,
                    type: file.type, thumbnailSizes: file.thumbnailSizes),
                HTTPBodySource(reader: reader, meter: meter))
            await keep(found, of: requestID, at: place)
        }
    }

    /// Writes down where a file lies now; from here on it is not uploaded again.
    private func keep(
        _ found: UploadFile.Output, of requestID: RequestID, at place: Int
    ) async {
        guard let index = index(of: requestID),
            case .fileMessage(var params, var copies) = items[index].content
        else { return }
        let copy = copies[place]
        params.files[place].source = .url(found.url)
        params.files[place].thumbnails = found.thumbnails
        params.files[place].requiresAuth = found.requiresAuth
        if let size = found.size { params.files[place].size = ByteCount(bytes: size) }
        copies[place] = nil
        items[index].content = .fileMessage(params, copies: copies)
        let channel = items[index].channel
        let note = OutboxNote.content(requestID, channel, items[index].content)
        owe([Debt(note: note, copies: [copy].compactMap { $0 })])
        await payDebts()
        await surroundings.changed(channel)
    }
}

/// A file on its way to the server.
struct HTTPBodySource: Sendable {
    let reader: AttachmentReader
    let meter: UploadMeter

    /// The body of a form with this file in it.
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

/// Counts what has been uploaded, and tells of every hundredth part.
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

/// Who want to hear what becomes of things; may be told from any thread.
final class OutboxObservers: Sendable {
    /// Nil once nothing more is told.
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
