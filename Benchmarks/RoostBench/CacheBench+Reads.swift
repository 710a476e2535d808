// SPDX-License-Identifier: Apache-2.0

// W2, W3, W8 and memory: reads of the cache.

extension CacheBench {
    static let pageLength = 30

    // MARK: - W2

    /// Opens the cache and reads the first 20 channels and the last 30 messages of one.
    mutating func openCold(_ fixture: Fixture) async throws(BenchError) {
        tell("W2: opening")
        let warm = try await openings(fixture, rounds: max(9, options.rounds)) { true }
        // The target is for a cold opening; this row shows its part without the disk.
        report.add("W2", "open, 20 channels, 30 messages; file in memory", "µs", warm, target: nil)
        guard options.emptiesFileCaches, Machine.dropFileCaches() else {
            report.note("W2", "the system's cache of files is not emptied: warm only")
            return
        }
        let cold = try await openings(
            fixture, rounds: max(5, options.rounds), preparing: Machine.dropFileCaches)
        report.add(
            "W2", "open, 20 channels, 30 messages; file on disk", "µs", cold, target: 1.5)
    }

    /// Opens the cache of each side by turns.
    func openings(
        _ fixture: Fixture, rounds count: Int, preparing: () -> Bool
    ) async throws(BenchError) -> Rounds {
        let place = Place(url: data.url(0), moment: .max)
        let files = try FilesCache(fixture.files)
        var found = 0
        var rounds = Rounds()
        for _ in 0..<count {
            _ = preparing()
            var watch = Stopwatch()
            let ours = try await OurCache(fixture.ours)
            try await ours.channels(20)
            found = try await ours.page(place, count: Self.pageLength)
            rounds.ours.append(watch.cost)
            await ours.close()
            _ = preparing()
            watch = Stopwatch()
            let limit = try Limit(fixture.limit)
            try limit.channels(20)
            try limit.page(place, count: Self.pageLength)
            rounds.limit.append(watch.cost)
            limit.close()
        }
        for _ in 0..<count {
            _ = preparing()
            var watch = Stopwatch()
            let rows = try RowsCache(fixture.rows)
            try rows.channels(20)
            let rowCount = try rows.page(place, count: Self.pageLength)
            rounds.peers.append(watch.microseconds, of: Peers.rows)
            _ = preparing()
            watch = Stopwatch()
            let fileCount = try files.firstScreen(
                of: place.url, channels: 20, messages: Self.pageLength)
            rounds.peers.append(watch.microseconds, of: Peers.files)
            guard rowCount == found, fileCount == found else {
                throw BenchError(
                    "The peers opened with \(rowCount) and \(fileCount) messages, ours with \(found)."
                )
            }
        }
        return rounds
    }

    // MARK: - W3

    mutating func readPages(of fixture: Fixture) async throws(BenchError) {
        let ours = try await OurCache(fixture.ours)
        let limit = try Limit(fixture.limit)
        let rows = try RowsCache(fixture.rows)
        let count = min(10_000, options.messages)
        var rounds = Rounds()
        var middle: (ours: [Double], limit: [Double]) = ([], [])
        var late: (ours: [Double], limit: [Double]) = ([], [])
        for round in 1...options.rounds {
            tell("W3, round \(round) of \(options.rounds): \(count) pages")
            let one = try await pages(data.places(count, seed: UInt64(round)), ours, limit)
            rounds.ours.append(one.cost.ours / count)
            rounds.limit.append(one.cost.limit / count)
            let watch = Stopwatch()
            for place in data.places(count, seed: UInt64(round)) {
                try rows.page(place, count: Self.pageLength)
            }
            rounds.peers.append(watch.microseconds / Double(count), of: Peers.rows)
            middle.ours.append(one.ours.median)
            middle.limit.append(one.limit.median)
            late.ours.append(one.ours.quantile(0.99))
            late.limit.append(one.limit.quantile(0.99))
        }
        await ours.close()
        report.add("W3", "page of 30 at random", "µs (mean)", rounds, target: 2)
        report.add(
            "W3", "page of 30 at random", "µs (p50)", ours: middle.ours.median,
            limit: middle.limit.median, isDetail: true)
        report.add(
            "W3", "page of 30 at random", "µs (p99)", ours: late.ours.median,
            limit: late.limit.median, isDetail: true)
    }

    /// The times of single pages, and of all pages together.
    private struct Pages {
        var ours: [Double] = []
        var limit: [Double] = []
        var cost = (ours: Cost(), limit: Cost())
    }

    /// Reads pages of both sides by turns, in runs long enough to fill the processor's caches.
    private func pages(
        _ places: [Place], _ ours: OurCache, _ limit: Limit
    ) async throws(BenchError) -> Pages {
        var pages = Pages()
        for start in stride(from: 0, to: places.count, by: 250) {
            let run = places[start..<min(start + 250, places.count)]
            var found = (ours: 0, limit: 0)
            var whole = Stopwatch()
            for place in run {
                let watch = Stopwatch()
                found.ours += try await ours.page(place, count: Self.pageLength)
                pages.ours.append(watch.microseconds)
            }
            pages.cost.ours += whole.cost
            whole = Stopwatch()
            for place in run {
                let watch = Stopwatch()
                found.limit += try limit.page(place, count: Self.pageLength)
                pages.limit.append(watch.microseconds)
            }
            pages.cost.limit += whole.cost
            // Ours includes the message at the moment itself, the limit does not.
            guard found.limit > 0, abs(found.ours - found.limit) <= run.count else {
                throw BenchError(
                    "The two sides found different messages: \(found.ours), \(found.limit).")
            }
        }
        return pages
    }

    // MARK: - Memory

    /// Measures the growth of memory while every message is read once, in pages of 100.
    mutating func pageThroughAll(of fixture: Fixture) async throws(BenchError) {
        tell("memory: paging through \(options.messages) messages")
        let all = data.everyPlace
        let ours = try await OurCache(fixture.ours)
        // The page cache is not growth: a tenth of the pages fills it first.
        for place in all.prefix(1_000) { try await ours.page(place, count: 100) }
        let one = try await growth { () async throws(BenchError) in
            for place in all { try await ours.page(place, count: 100) }
        }
        await ours.close()
        let limit = try Limit(fixture.limit)
        for place in all.prefix(1_000) { try limit.page(place, count: 100) }
        let other = try await growth { () async throws(BenchError) in
            for place in all { try limit.page(place, count: 100) }
        }
        limit.close()
        report.add(
            "memory", "growth while paging through it all", "KiB", ours: one, limit: other)
    }

    private func growth(
        _ body: () async throws(BenchError) -> Void
    ) async throws(BenchError) -> Double? {
        Machine.resetPeakMemory()
        let before = Machine.memory
        try await body()
        guard let before, let after = Machine.memory else { return nil }
        return Double(after.peak - before.now)
    }

    // MARK: - W8

    /// A query of words with a name for its kind.
    struct Search: Hashable {
        let kind: String
        let words: String
    }

    /// The queries of W8.
    var searches: [Search] {
        zip(Self.searchKinds, data.searches).map { Search(kind: $0, words: $1) }
    }

    private static let searchKinds = [
        "the most frequent word", "a frequent word", "a seldom word", "a rare word", "two words",
        "two Chinese characters",
    ]

    /// Finds the newest 20 hits of each of several queries.
    mutating func search(_ fixture: Fixture) async throws(BenchError) {
        tell("W8: searching")
        for search in searches {
            let rounds = try await hits(
                of: search, in: fixture, rounds: max(50, options.rounds), peerRounds: 5)
            report.add(
                "W8", "newest 20 hits of \(search.kind)", "µs (p50)",
                ours: rounds.ours.wall.median, limit: rounds.limit.wall.median, target: 1.5,
                peers: rounds.peers.costs)
        }
    }

    /// Finds the newest 20 hits of one query with each side by turns, then with the peer.
    ///
    /// The peer reads every text, so a few rounds must do.
    func hits(
        of search: Search, in fixture: Fixture, rounds count: Int, peerRounds: Int
    ) async throws(BenchError) -> Rounds {
        let limit = try Limit(fixture.limitWithSearch, .init(hasSearch: true))
        let ours = try await OurCache(fixture.oursWithSearch, hasSearch: true)
        let rows = try RowsCache(fixture.rows)
        var rounds = Rounds()
        var expected = 0
        for _ in 0..<count {
            var watch = Stopwatch()
            let found = try await ours.search(search.words, count: 20)
            rounds.ours.append(watch.cost)
            watch = Stopwatch()
            expected = try limit.search(search.words, count: 20)
            rounds.limit.append(watch.cost)
            // Ours also finds names of files.
            guard found >= expected else {
                throw BenchError("The two sides found different messages for \(search.kind).")
            }
        }
        for _ in 0..<peerRounds {
            let watch = Stopwatch()
            let found = try rows.search(search.words, count: 20)
            rounds.peers.append(watch.microseconds, of: Peers.rows)
            // It finds parts of words, too; for the sides each character of Chinese is a word.
            guard found >= expected || !search.words.allSatisfy(\.isASCII) else {
                throw BenchError("The peer found too few messages for \(search.kind).")
            }
        }
        await ours.close()
        limit.close()
        return rounds
    }
}
