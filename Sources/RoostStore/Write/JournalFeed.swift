// SPDX-License-Identifier: Apache-2.0

internal import RoostCore

/// All commits from the subscription on, in order, for one reader.
///
/// Ends when the store closes or the reader's task is cancelled. The commits wait in the writer;
/// the feed signals that there is one, and the reader takes it.
package struct JournalFeed: AsyncSequence, Sendable {
    package typealias Element = JournalEntry

    let id: Int
    let writer: StoreWriter
    let wakeUps: AsyncStream<Void>

    package func makeAsyncIterator() -> Iterator {
        Iterator(id: id, writer: writer, wakeUps: wakeUps.makeAsyncIterator())
    }

    package struct Iterator: AsyncIteratorProtocol {
        let id: Int
        let writer: StoreWriter
        var wakeUps: AsyncStream<Void>.Iterator

        package mutating func next() async -> JournalEntry? {
            await next(isolation: nil)
        }

        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> JournalEntry? {
            while true {
                if let entry = await writer.takeEntry(of: id) { return entry }
                guard await wakeUps.next(isolation: actor) != nil else { return nil }
            }
        }
    }
}

/// The readers of a journal and their waiting entries.
struct JournalReaders {
    private struct Reader {
        let id: Int
        var buffer: JournalBuffer
        /// Whether the reader receives this store's own commits too.
        let receivesOwnCommits: Bool
        let wakeUps: AsyncStream<Void>.Continuation
    }

    /// The readers in the order of subscription, so that the order of signals is always the same.
    private var readers: [Reader] = []
    private var lastID = 0

    var count: Int { readers.count }

    mutating func add(
        capacity: Int, receivesOwnCommits: Bool = true
    ) -> (id: Int, wakeUps: AsyncStream<Void>) {
        lastID += 1
        // One wake-up is enough for any number of commits: the reader takes all of them.
        let (wakeUps, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        readers.append(
            Reader(
                id: lastID, buffer: JournalBuffer(capacity: capacity),
                receivesOwnCommits: receivesOwnCommits, wakeUps: continuation))
        return (lastID, wakeUps)
    }

    /// Appends a commit of this store for every reader of such commits; drops readers that are
    /// gone.
    mutating func append(_ commit: Commit) {
        for index in readers.indices where readers[index].receivesOwnCommits {
            readers[index].buffer.append(commit)
        }
        wake { $0.receivesOwnCommits }
    }

    /// Appends commits of other processes for every reader.
    mutating func miss(_ range: ClosedRange<Int64>) {
        for index in readers.indices { readers[index].buffer.miss(range) }
        wake { _ in true }
    }

    private mutating func wake(_ isMeant: (Reader) -> Bool) {
        readers.removeAll { reader in
            guard isMeant(reader), case .terminated = reader.wakeUps.yield() else { return false }
            return true
        }
    }

    mutating func take(_ id: Int) -> JournalEntry? {
        guard let index = readers.firstIndex(where: { $0.id == id }) else { return nil }
        return readers[index].buffer.take()
    }

    /// Ends every feed after its waiting entries.
    func finish() {
        for reader in readers { reader.wakeUps.finish() }
    }
}
