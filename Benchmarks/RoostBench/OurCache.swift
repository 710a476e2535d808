// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite
internal import RoostStore
internal import RoostWire

/// Our store, used as the engine uses it: bytes to values, values to mutations, one commit.
struct OurCache {
    private static let owner = StoreOwner(application: "bench", user: "user-0000")

    let store: Store
    /// The older end of each channel's coverage, which the next page continues.
    private var olderEnds: [ChannelURL: Position] = [:]

    init(
        _ folder: String, waitsForDisk: Bool = false, hasSearch: Bool = false
    ) async throws(BenchError) {
        var options = Store.Options()
        options.isSearchable = hasSearch
        options.connection.durability = waitsForDisk ? .powerLoss : .processCrash
        do {
            store = try await Store.open(.folder(folder), owner: Self.owner, options)
        } catch {
            throw BenchError(error)
        }
    }

    func close() async { await store.close() }

    func putChannels(_ body: [UInt8]) async throws(BenchError) {
        let page = try Self.decode(ListMyChannels.self, body)
        try await commit([.channels(page.channels)])
    }

    /// A decoded page of messages.
    struct Page: Sendable {
        fileprivate let answer: ListMessages.Output
    }

    static func page(_ body: [UInt8]) throws(BenchError) -> Page {
        Page(answer: try decode(ListMessages.self, body))
    }

    mutating func putPage(_ body: [UInt8]) async throws(BenchError) {
        try await put(try Self.page(body))
    }

    /// Writes one page while the next one is decoded, as with several channels at once: answers are
    /// decoded concurrently, and only commits wait for each other.
    ///
    /// - Parameters:
    ///   - page: The page decoded by the previous call; nil for the first.
    ///   - body: The page to write, if it is not decoded yet.
    ///   - next: The page after it; nil after the last.
    /// - Returns: The next page.
    /// - Throws: An error if a page cannot be decoded or written.
    mutating func put(
        _ page: Page?, or body: [UInt8], reading next: [UInt8]?
    ) async throws(BenchError) -> Page? {
        async let ahead = Self.readAhead(next, Self.page)
        let page = if let page { page } else { try Self.page(body) }
        try await put(page)
        return try await ahead.get()
    }

    @concurrent
    private static func readAhead<T>(
        _ body: [UInt8]?, _ read: @Sendable ([UInt8]) throws(BenchError) -> T
    ) async -> Result<T?, BenchError> {
        Result { () throws(BenchError) in try body.map(read) }
    }

    private mutating func put(_ page: Page) async throws(BenchError) {
        let page = page.answer
        guard let channel = page.messages.first?.channelURL else { return }
        let question: PageQuestion =
            olderEnds[channel].map { .older(than: $0, limit: ServerData.pageSize) }
            ?? .around(.distantFuture, older: ServerData.pageSize, newer: 0)
        let statement = PageStatement(
            question: question, positions: page.messages.compactMap(\.position),
            hasNewer: page.hasNext, isContinuous: page.isContinuous ?? true)
        try await commit([.messages(channel, page.messages, covering: statement.range)])
        olderEnds[channel] = statement.range?.lower
    }

    func putLive(_ body: [UInt8], after predecessor: Int64) async throws(BenchError) {
        let message: Message
        do {
            var reader = try JSONReader(bytes: body)
            message = try reader.readMessage()
        } catch {
            throw BenchError(error)
        }
        try await commit([
            .liveMessage(message, predecessor: predecessor > 0 ? MessageID(predecessor) : nil)
        ])
    }

    /// A decoded page of a change log.
    struct Changes: Sendable {
        fileprivate let answer: MessageChangeLog.Output
    }

    static func changes(_ body: [UInt8]) throws(BenchError) -> Changes {
        Changes(answer: try decode(MessageChangeLog.self, body))
    }

    /// Applies one page of a change log while one of another channel is decoded; like `put`.
    func apply(
        _ changes: Changes?, or body: [UInt8], of channel: String, reading next: [UInt8]?
    ) async throws(BenchError) -> Changes? {
        async let ahead = Self.readAhead(next, Self.changes)
        let page = if let changes { changes } else { try Self.changes(body) }
        let changes = page.answer
        let channel = ChannelURL(channel)
        try await commit(
            changes.updated.map { .edited($0) }
                + [
                    .deleted(channel, changes.deleted.map(\.id)),
                    .cursor(.messageChanges(channel), .token(changes.next)),
                ])
        return try await ahead.get()
    }

    @discardableResult
    func channels(_ count: Int) async throws(BenchError) -> Int {
        do {
            return try await store.readers[0].channels(
                order: .latestLastMessage, limit: count
            ).value.count
        } catch {
            throw BenchError(error)
        }
    }

    @discardableResult
    func page(_ place: Place, count: Int) async throws(BenchError) -> Int {
        try await Self.page(place, count: count, store.readers[0])
    }

    static func page(
        _ place: Place, count: Int, _ reader: StoreReader
    ) async throws(BenchError) -> Int {
        do {
            return try await reader.window(
                .around(
                    Timestamp(milliseconds: place.moment), in: ChannelURL(place.url),
                    olderCount: count, newerCount: 0)
            ).messages.count
        } catch {
            throw BenchError(error)
        }
    }

    /// Finds the newest messages with these words, decoded, without excerpts, because the limit
    /// makes none.
    ///
    /// The trailing space marks the last word as complete, because the limit does not search for
    /// prefixes.
    @discardableResult
    func search(_ words: String, count: Int) async throws(BenchError) -> Int {
        do {
            return try await store.readers[0].search(
                SearchQuestion("\(words) ", limit: count, excerptLength: nil)
            ).value.found.count
        } catch {
            throw BenchError(error)
        }
    }

    /// Returns the folder of the files of a store opened in `folder`.
    static func folder(in folder: String) -> String {
        "\(folder)/\(owner.application)/\(owner.user)"
    }

    func evict(to bytes: Int64) async throws(BenchError) {
        do {
            _ = try await store.writer.trim(downTo: bytes)
        } catch {
            throw BenchError(error)
        }
    }

    /// Returns the size of the cache's files.
    func fileBytes() async -> Int64 {
        let counts = await store.writer.fileBytes()
        return counts.cache + counts.log
    }

    private func commit(_ mutations: [Mutation]) async throws(BenchError) {
        do {
            try await store.writer.commit(mutations)
        } catch {
            throw BenchError(error)
        }
    }

    private static func decode<E: Endpoint>(
        _ endpoint: E.Type, _ body: [UInt8]
    ) throws(BenchError) -> E.Output {
        do throws(WireError) {
            var reader = try JSONReader(bytes: body)
            let output = try E.read(&reader)
            try reader.finish()
            return output
        } catch {
            throw BenchError(error)
        }
    }
}

extension BenchError {
    init(_ error: StoreError) { self.init("Our cache failed: \(error)") }
    init(_ error: WireError) { self.init("The data cannot be read: \(error)") }
}
