// SPDX-License-Identifier: Apache-2.0

// W6, W7 and scaling: the size of a cache, eviction, and costs that grow with the size.

extension CacheBench {
    // MARK: - W6

    mutating func measureSize(of fixture: Fixture) async throws(BenchError) {
        let ours = try await OurCache(fixture.ours)
        let bytes = await ours.fileBytes()
        await ours.close()
        let oursSearching = try await OurCache(fixture.oursWithSearch, hasSearch: true)
        let bytesWithSearch = await oursSearching.fileBytes()
        await oursSearching.close()
        let limit = try Limit(fixture.limit)
        let searching = try Limit(fixture.limitWithSearch, .init(hasSearch: true))
        let count = Double(options.messages)
        report.add(
            "W6", "on disk, unknown fields kept by ours", "bytes/message",
            ours: Double(bytes) / count, limit: Double(try limit.fileBytes()) / count, target: 1.3)
        report.add(
            "W6", "the same with search", "bytes/message", ours: Double(bytesWithSearch) / count,
            limit: Double(try searching.fileBytes()) / count, target: 1.3)
    }

    // MARK: - W7

    /// Evicts down to half, from a new copy each round.
    mutating func evict(_ fixture: Fixture) async throws(BenchError) {
        for hasSearch in [false, true] {
            var rounds = Rounds()
            var (ourMisses, misses): ([Double], [Double]) = ([], [])
            for round in 1...options.rounds {
                tell("W7, round \(round) of \(options.rounds)")
                let path = "\(options.folder)/evict.sqlite"
                let from = hasSearch ? fixture.limitWithSearch : fixture.limit
                Machine.remove(path)
                try Machine.copy(from, to: path)
                let limit = try Limit(path, .init(hasSearch: hasSearch))
                let target = try limit.fileBytes() / 2
                let watch = Stopwatch()
                try limit.evict(to: target)
                rounds.limit.append(watch.cost / 1_000)
                misses.append(Self.miss(of: try limit.fileBytes(), target))
                limit.close()
                for ending in ["", "-wal", "-shm"] { Machine.remove(path + ending) }
                try await evictOurs(fixture, hasSearch, &rounds, &ourMisses)
            }
            let name = hasSearch ? ", with search" : ""
            report.add(
                "W7", "evict to half\(name)", "ms",
                ours: rounds.ours.wall.median, limit: rounds.limit.wall.median, target: 2)
            report.add(
                "W7", "evict to half\(name); processor time", "ms",
                ours: rounds.ours.processor.median, limit: rounds.limit.processor.median)
            report.add(
                "W7", "distance from the target size\(name)", "%",
                ours: ourMisses.median, limit: misses.median)
        }
    }

    private func evictOurs(
        _ fixture: Fixture, _ hasSearch: Bool, _ rounds: inout Rounds, _ misses: inout [Double]
    ) async throws(BenchError) {
        let from = hasSearch ? fixture.oursWithSearch : fixture.ours
        let folder = "\(options.folder)/evict-ours"
        Machine.remove(folder)
        try Machine.makeFolder(OurCache.folder(in: folder))
        try Machine.copy(
            "\(OurCache.folder(in: from))/cache.sqlite",
            to: "\(OurCache.folder(in: folder))/cache.sqlite")
        let ours = try await OurCache(folder, hasSearch: hasSearch)
        let target = await ours.fileBytes() / 2
        let watch = Stopwatch()
        try await ours.evict(to: target)
        rounds.ours.append(watch.cost / 1_000)
        misses.append(Self.miss(of: await ours.fileBytes(), target))
        await ours.close()
        Machine.remove(folder)
    }

    private static func miss(of size: Int64, _ target: Int64) -> Double {
        abs(Double(size) / Double(target) - 1) * 100
    }

    // MARK: - Scaling

    /// Measures a page, a live message and an opening at three sizes.
    mutating func scale(from large: Fixture) async throws(BenchError) {
        var found: [[ScaledCost]] = []
        for divisor in [100, 10, 1] {
            let count = options.messages / divisor
            guard count > 0 else { continue }
            tell("scaling: \(count) messages")
            if divisor == 1 {
                found.append(try await measureAtSize(large, data, Self.named(count)))
                continue
            }
            let data = try ServerData(seed: options.seed, messages: count)
            let fixture = Fixture(folder: options.folder, name: "small")
            try await build(fixture, data, withSearch: false)
            found.append(try await measureAtSize(fixture, data, Self.named(count)))
            fixture.remove()
        }
        guard found.count > 1, let small = found.first, let large = found.last else { return }
        for (small, large) in zip(small, large) {
            report.add(
                "scaling", "\(small.name), largest cache / smallest", "times",
                ours: large.ours / small.ours, limit: large.limit / small.limit)
        }
    }

    /// The cost of one operation in a cache of one size.
    private struct ScaledCost {
        let name: String
        let ours: Double
        let limit: Double
    }

    private static func named(_ count: Int) -> String {
        "\(count) messages"
    }

    private mutating func measureAtSize(
        _ fixture: Fixture, _ data: ServerData, _ size: String
    ) async throws(BenchError) -> [ScaledCost] {
        let places = data.places(2_000, seed: 9)
        var (opens, pages, lives) = (Rounds(), Rounds(), Rounds())
        for _ in 0..<5 {
            var watch = Stopwatch()
            let ours = try await OurCache(fixture.ours, waitsForDisk: true)
            try await ours.channels(20)
            opens.ours.append(watch.cost)
            watch = Stopwatch()
            let limit = try Limit(fixture.limit, .init(waitsForDisk: true))
            try limit.channels(20)
            opens.limit.append(watch.cost)
            if opens.ours.count < 5 {
                await ours.close()
                continue
            }
            for place in places {
                watch = Stopwatch()
                try await ours.page(place, count: Self.pageLength)
                pages.ours.append(watch.cost)
            }
            for place in places {
                watch = Stopwatch()
                try limit.page(place, count: Self.pageLength)
                pages.limit.append(watch.cost)
            }
            for number in 100_000..<100_400 {
                let message = data.live(number)
                watch = Stopwatch()
                try await ours.putLive(message.body, after: message.predecessor)
                lives.ours.append(watch.cost)
                watch = Stopwatch()
                try limit.putLive(message.body)
                lives.limit.append(watch.cost)
            }
            await ours.close()
        }
        let rows = [
            ("open and 20 channels", opens), ("page of 30", pages), ("live, synced", lives),
        ]
        return rows.map { name, rounds in
            let cost = ScaledCost(
                name: name, ours: rounds.ours.wall.median, limit: rounds.limit.wall.median)
            report.add(
                "scaling", "\(name), \(size)", "µs (p50)", ours: cost.ours, limit: cost.limit)
            return cost
        }
    }
}
