// SPDX-License-Identifier: Apache-2.0

internal import RoostStore

// W1, W4, W5: writes of the server's data.

extension CacheBench {
    // MARK: - W1

    /// Writes pages.
    ///
    /// The limit delays its checkpoints, which helps a bulk load.
    mutating func upsert() async throws(BenchError) {
        let count = min(100_000, options.messages)
        let data = try ServerData(seed: options.seed, messages: count)
        var rounds = Rounds()
        for round in 1...options.rounds {
            tell("W1, round \(round) of \(options.rounds): \(count) messages")
            let fixture = Fixture(folder: options.folder, name: "upsert")
            fixture.remove()
            let cost = try await upsert(data, fixture)
            rounds.ours.append(cost.ours / count)
            rounds.limit.append(cost.limit / count)
            rounds.oursSearching.append(cost.oursSearching / count)
            rounds.limitSearching.append(cost.limitSearching / count)
            fixture.remove()
            rounds.peers.append(try upsertRows(data, fixture) / Double(count), of: Peers.rows)
            fixture.remove()
        }
        report.add("W1", "upsert in pages of 100", "µs/message", rounds, target: 2)
    }

    /// The costs of one round.
    private struct Costs {
        var ours = Cost()
        var limit = Cost()
        var oursSearching = Cost()
        var limitSearching = Cost()
    }

    /// Returns the microseconds of the peer with rows, which has a turn of its own: between the two
    /// sides it would change the processor's caches for one of them.
    private func upsertRows(_ data: ServerData, _ fixture: Fixture) throws(BenchError) -> Double {
        let rows = try RowsCache(fixture.rows)
        try rows.putChannels(data.channels())
        var sum = 0.0
        for number in 0..<data.pageCount {
            let body = data.page(number)
            let watch = Stopwatch()
            try rows.putPage(body)
            sum += watch.microseconds
        }
        return sum
    }

    private func upsert(
        _ data: ServerData, _ fixture: Fixture
    ) async throws(BenchError) -> Costs {
        var ours = try await OurCache(fixture.ours)
        let bulk: Int32 = 4_000
        let limit = try Limit(fixture.limit, .init(checkpointPages: bulk))
        let searching = try Limit(
            fixture.limitWithSearch, .init(hasSearch: true, checkpointPages: bulk))
        var oursSearching = try await OurCache(fixture.oursWithSearch, hasSearch: true)
        let channels = data.channels()
        try await ours.putChannels(channels)
        try limit.putChannels(channels)
        try searching.putChannels(channels)
        try await oursSearching.putChannels(channels)
        // A subscriber takes every commit, as a collection does.
        let feed = await ours.store.writer.journal()
        async let taken = Self.count(feed)
        var cost = Costs()
        var (page, searchable): (OurCache.Page?, OurCache.Page?)
        for number in 0..<data.pageCount {
            let body = data.page(number)
            let next = number + 1 < data.pageCount ? data.page(number + 1) : nil
            var watch = Stopwatch()
            page = try await ours.put(page, or: body, reading: next)
            cost.ours += watch.cost
            watch = Stopwatch()
            try limit.putPage(body)
            cost.limit += watch.cost
            watch = Stopwatch()
            try searching.putPage(body)
            cost.limitSearching += watch.cost
            watch = Stopwatch()
            searchable = try await oursSearching.put(searchable, or: body, reading: next)
            cost.oursSearching += watch.cost
        }
        await ours.close()
        await oursSearching.close()
        guard await taken > 0 else { throw BenchError("The journal of our store has no commit.") }
        return cost
    }

    private static func count(_ feed: JournalFeed) async -> Int {
        var count = 0
        for await _ in feed { count += 1 }
        return count
    }

    // MARK: - W5

    mutating func applyChangeLogs(_ fixture: Fixture) async throws(BenchError) {
        let pages = max(1, min(120, options.messages / (300 * options.rounds)))
        var rounds = Rounds()
        let ours = try await OurCache(fixture.ours)
        let limit = try Limit(fixture.limit)
        let searching = try Limit(fixture.limitWithSearch, .init(hasSearch: true))
        let oursSearching = try await OurCache(fixture.oursWithSearch, hasSearch: true)
        for round in 0..<options.rounds {
            tell("W5, round \(round + 1) of \(options.rounds): \(pages * 100) changes")
            var cost = Costs()
            var count = 0
            var (read, searchable): (OurCache.Changes?, OurCache.Changes?)
            let end = (round + 1) * pages
            for page in round * pages..<end {
                let changes = data.changes(page)
                let next = page + 1 < end ? data.changes(page + 1).body : nil
                count += changes.count
                let url = data.url(changes.channel)
                var watch = Stopwatch()
                read = try await ours.apply(read, or: changes.body, of: url, reading: next)
                cost.ours += watch.cost
                watch = Stopwatch()
                try limit.applyChanges(changes.body)
                cost.limit += watch.cost
                watch = Stopwatch()
                try searching.applyChanges(changes.body)
                cost.limitSearching += watch.cost
                watch = Stopwatch()
                searchable = try await oursSearching.apply(
                    searchable, or: changes.body, of: url, reading: next)
                cost.oursSearching += watch.cost
            }
            rounds.ours.append(cost.ours / max(1, count))
            rounds.limit.append(cost.limit / max(1, count))
            rounds.oursSearching.append(cost.oursSearching / max(1, count))
            rounds.limitSearching.append(cost.limitSearching / max(1, count))
        }
        await ours.close()
        await oursSearching.close()
        report.add("W5", "change log: 5 edits to 1 deletion", "µs/change", rounds, target: 2)
    }
}
