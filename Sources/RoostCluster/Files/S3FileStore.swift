// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
package import RoostServer
package import RoostSockets

/// The uploads in a bucket of an S3 server, for servers on several machines.
///
/// A file up to the size of a part stays in memory until it is kept, in one call. A larger one is sent in
/// parts while it arrives, and keeping joins them. Nothing can be read before. `S3Reader` reads.
package actor S3FileStore: FileStore {
    /// The counters for operators.
    package struct Counts: Equatable, Sendable {
        package var calls: UInt64 = 0
        package var repeats: UInt64 = 0
        package var failures: UInt64 = 0
        /// Whether the last call failed.
        package var isAway = false
    }

    /// A begun file; touched by the actor only.
    private final class Upload {
        let type: String
        /// The bytes that no part has yet.
        var rest: [UInt8] = []
        var byteCount = 0
        /// The name of the parts at S3; nil before the first part.
        var parts: String?
        /// The tags of the stored parts, in order.
        var tags: [String] = []
        /// Whether a call about this file is under way.
        var isBusy = false
        /// Whether bytes are missing, so that the file cannot be kept.
        var isBroken = false
        /// Whether the file may be readable though keeping it failed.
        var mayBeKept = false
        var isDropped = false

        init(type: String) { self.type = type }
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its loop.
        unsafe loop.asUnownedSerialExecutor()
    }

    private let loop: EventLoop
    private let settings: S3Settings
    private let bucket: S3Bucket
    private let reader: S3Reader
    private let world: S3World
    private var begun: [String: Upload] = [:]
    /// The removals under way, by a growing number.
    private var removals: [Int: Task<Void, Never>] = [:]
    private var lastRemoval = 0

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - settings: The place and the limits.
    ///   - world: The clocks and the log.
    ///   - loop: The loop of the store and its connections, better not that of a server; its owner
    ///     shuts it down after `close`.
    /// - Throws: A sentence if the endpoint or the certificates cannot be used.
    package init(
        _ settings: S3Settings, _ world: S3World, on loop: EventLoop
    ) throws(StorageError) {
        self.settings = settings
        self.world = world
        self.loop = loop
        bucket = try S3Bucket(settings, world, on: loop)
        reader = S3Reader(bucket, world, on: loop)
    }

    package var counts: Counts { get async { await bucket.counts } }

    /// The number of begun files.
    package var begunCount: Int { begun.count }

    /// Proves that the bucket can be reached with the keys.
    ///
    /// - Throws: A sentence that says what is wrong and what to do.
    package func check() async throws(StorageError) {
        do throws(S3Failure) {
            _ = try await bucket.send(.check(settings))
        } catch {
            throw bucket.error(error)
        }
    }

    /// Waits for removals under way, for a bounded time, after the last call.
    package func close() async {
        for id in begun.keys.sorted() { drop(id) }
        let timer = Task {
            await world.pause(settings.closingTime)
            guard !Task.isCancelled else { return }
            for task in removals.values { task.cancel() }
        }
        await settle()
        timer.cancel()
        await timer.value
    }

    /// Waits for the removals that have begun.
    package func settle() async {
        for task in Array(removals.values) { await task.value }
    }

    private nonisolated func key(_ id: String) -> String { settings.prefix + id }

    // MARK: Writing

    package func begin(_ id: String, type: String) throws(StorageError) {
        guard begun.count < settings.uploadLimit else {
            throw StorageError(
                "\(settings.uploadLimit) uploads are under way, and no more fit into memory; try "
                    + "again later.")
        }
        begun[id] = Upload(type: type)
    }

    package func append(_ bytes: [UInt8], to id: String) async throws(StorageError) {
        guard let upload = begun[id] else { return }
        try enter(upload)
        defer { leave(upload, id) }
        upload.byteCount = upload.byteCount.addingSaturated(bytes.count)
        upload.rest += bytes
        do throws(S3Failure) {
            while upload.rest.count > settings.partBytes {
                try await sendPart(of: upload, id, bytes: settings.partBytes)
            }
        } catch {
            upload.isBroken = true
            throw bucket.error(error)
        }
    }

    package func keep(_ id: String) async throws(StorageError) {
        guard let upload = begun[id], !upload.isBroken else { throw StorageError.notBegun }
        try enter(upload)
        defer { leave(upload, id) }
        // A sender that goes away now must not leave it open whether the file is kept.
        let task = Task { () -> Result<Void, S3Failure> in
            do throws(S3Failure) {
                return .success(try await finish(upload, id))
            } catch {
                return .failure(error)
            }
        }
        switch await task.value {
        case .failure(let failure): throw bucket.error(failure)
        case .success:
            guard !upload.isDropped else { throw StorageError.notBegun }
            upload.mayBeKept = false
            begun[id] = nil
            await reader.note(StoredFile(type: upload.type, byteCount: upload.byteCount), id)
        }
    }

    /// Begins a call about a begun file.
    private func enter(_ upload: Upload) throws(StorageError) {
        guard !upload.isBusy else {
            upload.isBroken = true
            throw StorageError("The pieces of a file came at once; send it again.")
        }
        upload.isBusy = true
    }

    /// Ends a call about a begun file, and cleans up if the file was dropped meanwhile.
    private func leave(_ upload: Upload, _ id: String) {
        upload.isBusy = false
        if upload.isDropped { removeTraces(of: upload, id) }
    }

    /// Stores the first bytes of the rest as the next part.
    private func sendPart(of upload: Upload, _ id: String, bytes: Int) async throws(S3Failure) {
        guard !upload.isDropped else { throw S3Failure(.network(.dropped)) }
        guard upload.tags.count < S3Settings.partLimit else { throw S3Failure(.tooLarge) }
        let parts: String
        if let name = upload.parts {
            parts = name
        } else {
            let call = S3Call.begin(key(id), type: upload.type, settings)
            let name = try await bucket.send(call).document?.fields["UploadId"] ?? ""
            guard (1...1_024).contains(name.utf8.count) else { throw S3Failure(.foreign) }
            upload.parts = name
            parts = name
        }
        var part: [UInt8] = []
        swap(&part, &upload.rest)
        if part.count > bytes {
            upload.rest = Array(part[bytes...])
            part.removeLast(part.count - bytes)
        }
        let number = upload.tags.count + 1
        do throws(S3Failure) {
            let call = S3Call.part(number, of: key(id), upload: parts, part, settings)
            let tag = try await bucket.send(call).response.headers["ETag"] ?? ""
            guard Self.isTag(tag) else { throw S3Failure(.foreign) }
            upload.tags.append(tag)
        } catch {
            // The bytes stay, so that keeping may be tried again.
            upload.rest = part + upload.rest
            throw error
        }
    }

    /// Whether a text is a tag of a part that can be sent back as it is.
    private static func isTag(_ text: String) -> Bool {
        (3...128).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0)
                    || (0x30...0x39).contains($0) || "\"-+/=_.:".utf8.contains($0)
            }
    }

    /// Makes a begun file readable.
    private func finish(_ upload: Upload, _ id: String) async throws(S3Failure) {
        guard upload.parts != nil else {
            upload.mayBeKept = true
            _ = try await bucket.send(.put(key(id), type: upload.type, upload.rest, settings))
            upload.rest = []
            return
        }
        if !upload.rest.isEmpty {
            try await sendPart(of: upload, id, bytes: upload.rest.count)
        }
        guard let parts = upload.parts, !upload.isDropped else {
            throw S3Failure(.network(.dropped))
        }
        upload.mayBeKept = true
        do throws(S3Failure) {
            _ = try await bucket.send(
                .join(key(id), upload: parts, tags: upload.tags, settings))
        } catch {
            // An earlier attempt may have succeeded though its answer was lost.
            guard error.isUnknownUpload,
                try await reader.file(id, isRead: false)?.byteCount == upload.byteCount
            else { throw error }
        }
        upload.parts = nil
    }

    // MARK: Removing

    package func drop(_ id: String) {
        guard let upload = begun.removeValue(forKey: id) else { return }
        upload.isDropped = true
        upload.rest = []
        if !upload.isBusy { removeTraces(of: upload, id) }
    }

    /// Removes the parts of a dropped file, and the file if keeping it may have succeeded.
    ///
    /// The caller does not wait: while S3 is away, it would wait in vain. Parts that stay end by the
    /// bucket's own rule.
    private func removeTraces(of upload: Upload, _ id: String) {
        let (parts, mayBeKept) = (upload.parts, upload.mayBeKept)
        (upload.parts, upload.mayBeKept) = (nil, false)
        guard parts != nil || mayBeKept, removals.count < settings.uploadLimit else { return }
        lastRemoval &+= 1
        let (number, key) = (lastRemoval, key(id))
        removals[number] = Task {
            // The bucket counts and logs failures; there is nothing else to do about one.
            if let parts { _ = try? await bucket.send(.abort(key, upload: parts, settings)) }
            if mayBeKept { _ = try? await bucket.send(.delete(key, settings)) }
            removals[number] = nil
        }
    }

    package func remove(_ id: String) async {
        let key = key(id)
        // Not canceled with the caller, whose call has failed already. The bucket logs a failure.
        let task = Task { _ = try? await bucket.send(.delete(key, settings)) }
        await task.value
        await reader.forget(id)
    }

    // MARK: Reading

    package func file(_ id: String) async throws(StorageError) -> StoredFile? {
        do throws(S3Failure) {
            return try await reader.publicFile(id)
        } catch {
            throw bucket.error(error)
        }
    }

    package func read(_ id: String, _ range: Range<Int>) async throws(StorageError) -> [UInt8] {
        do throws(S3Failure) {
            return try await reader.read(id, range)
        } catch {
            throw bucket.error(error)
        }
    }
}

extension SocketError {
    /// The failure of a file that was dropped meanwhile.
    fileprivate static let dropped = SocketError(.cancelled, "The file was dropped.")
}
