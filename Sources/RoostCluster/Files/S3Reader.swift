// SPDX-License-Identifier: Apache-2.0

import RoostServer
import RoostSockets

/// The reading of files in a bucket.
///
/// Files are read in blocks, because a server asks for small pieces. Kept files never change, so the
/// last blocks and sizes serve later reads too.
actor S3Reader {
    /// A stretch of a file.
    private struct BlockKey: Hashable {
        let id: String
        let number: Int
    }

    private typealias Fetch = Task<Result<[UInt8], S3Failure>, Never>

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its loop.
        unsafe loop.asUnownedSerialExecutor()
    }

    private let loop: EventLoop
    private let bucket: S3Bucket
    private let settings: S3Settings
    private let world: S3World
    private var files: LastUsed<String, StoredFile>
    /// The names without a file, each with the time until which this is remembered.
    private var missing: LastUsed<String, S3World.Instant>
    private var blocks: LastUsed<BlockKey, [UInt8]>
    private var fetches: [BlockKey: Fetch] = [:]

    init(_ bucket: S3Bucket, _ world: S3World, on loop: EventLoop) {
        self.bucket = bucket
        self.world = world
        self.loop = loop
        settings = bucket.settings
        files = LastUsed(limit: settings.fileLimit)
        missing = LastUsed(limit: settings.missingLimit)
        blocks = LastUsed(limit: settings.blockLimit)
    }

    /// Takes note of a file that was kept.
    func note(_ file: StoredFile, _ id: String) {
        files.add(file, for: id)
        missing.removeAll { $0 == id }
    }

    /// Forgets everything that was read of a file.
    func forget(_ id: String) {
        files.removeAll { $0 == id }
        blocks.removeAll { $0.id == id }
    }

    /// Returns the type and the size of a file, as a stranger asks for it; nil if there is none.
    ///
    /// A name without a file is two calls to S3, so it is not looked up again for a short time.
    func publicFile(_ id: String) async throws(S3Failure) -> StoredFile? {
        if let end = missing.use(id), world.now() < end { return nil }
        if let file = try await file(id) { return file }
        missing.add(world.now().advanced(by: settings.missingTime), for: id)
        return nil
    }

    /// Returns the type and the size of a file; nil if there is none.
    ///
    /// - Parameters:
    ///   - id: The name of the file.
    ///   - isRead: Whether a reader asks; the check of an upload does not wait among readers.
    /// - Returns: The type and the size.
    /// - Throws: A failure of S3.
    func file(_ id: String, isRead: Bool = true) async throws(S3Failure) -> StoredFile? {
        if let file = files.use(id) { return file }
        let headers: HTTPHeaders
        do throws(S3Failure) {
            let call = S3Call.head(settings.prefix + id, settings, isRead: isRead)
            headers = try await bucket.send(call).response.headers
        } catch {
            guard error.isUnexplained else { throw error }
            return try await proveMissing(id, error, isRead: isRead)
        }
        guard let count = headers["Content-Length"].flatMap({ Int($0) }), count >= 0 else {
            throw S3Failure(.foreign)
        }
        let type = headers["Content-Type"] ?? ""
        let isPlain =
            !type.isEmpty && type.utf8.count <= 100
            && type.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        let file = StoredFile(
            type: isPlain ? type : "application/octet-stream", byteCount: count)
        files.add(file, for: id)
        return file
    }

    /// Returns nil if S3 says in words that there is no such file.
    ///
    /// Clients forget the address of a missing file, so nothing else may look like one.
    private func proveMissing(
        _ id: String, _ failure: S3Failure, isRead: Bool
    ) async throws(S3Failure) -> StoredFile? {
        var call = S3Call.read(settings.prefix + id, 0..<1, settings)
        call.isRead = isRead
        do throws(S3Failure) {
            _ = try await bucket.send(call)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
        throw failure
    }

    /// Returns a range of a file; shorter only at its end.
    func read(_ id: String, _ range: Range<Int>) async throws(S3Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var place = max(0, range.lowerBound)
        while place < range.upperBound {
            let number = place / settings.blockBytes
            let block = try await block(BlockKey(id: id, number: number))
            let start = place - number * settings.blockBytes
            guard start < block.count else { break }
            let count = min(range.upperBound - place, block.count - start)
            bytes += block[start..<(start + count)]
            place += count
        }
        return bytes
    }

    /// Returns a block; readers of the same one share a call.
    private func block(_ key: BlockKey) async throws(S3Failure) -> [UInt8] {
        if let block = blocks.use(key) { return block }
        let fetch =
            fetches[key]
            ?? Task { () -> Result<[UInt8], S3Failure> in
                do throws(S3Failure) {
                    return .success(try await fetchBlock(key))
                } catch {
                    return .failure(error)
                }
            }
        fetches[key] = fetch
        let result = await fetch.value
        if fetches[key] == fetch { fetches[key] = nil }
        switch result {
        case .success(let block): blocks.add(block, for: key)
        case .failure(let failure): if failure.isMissing { forget(key.id) }
        }
        return try result.get()
    }

    private func fetchBlock(_ block: BlockKey) async throws(S3Failure) -> [UInt8] {
        let start = block.number.multipliedReportingOverflow(by: settings.blockBytes)
        let end = start.partialValue.addingReportingOverflow(settings.blockBytes)
        guard !start.overflow, !end.overflow else { return [] }
        let range = start.partialValue..<end.partialValue
        let response: HTTPClientResponse
        do throws(S3Failure) {
            let call = S3Call.read(settings.prefix + block.id, range, settings)
            response = try await bucket.send(call).response
        } catch {
            guard error.isBehindEnd else { throw error }
            return []
        }
        // A server without ranges answers with the whole file, which may fit.
        if response.status == 200, range.lowerBound == 0,
            response.body.count <= settings.blockBytes
        {
            return response.body
        }
        guard response.status == 206,
            let content = response.headers["Content-Range"].flatMap({ S3ContentRange($0) }),
            content.range == range.clamped(to: 0..<content.total),
            content.range.count == response.body.count
        else { throw S3Failure(.foreign) }
        return response.body
    }
}

/// The values that were used last.
///
/// - Invariant: There are at most `limit`.
struct LastUsed<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        var lastUse: UInt64
    }

    private let limit: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0

    init(limit: Int) { self.limit = max(1, limit) }

    /// Returns a value and makes it the one used last.
    mutating func use(_ key: Key) -> Value? {
        guard let value = entries[key]?.value else { return nil }
        uses &+= 1
        entries[key]?.lastUse = uses
        return value
    }

    /// Adds a value in the place of the one that was not used for longest.
    mutating func add(_ value: Value, for key: Key) {
        uses &+= 1
        if entries[key] == nil, entries.count >= limit,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            entries[oldest.key] = nil
        }
        entries[key] = Entry(value: value, lastUse: uses)
    }

    mutating func removeAll(where isRemoved: (Key) -> Bool) {
        entries = entries.filter { !isRemoved($0.key) }
    }
}
