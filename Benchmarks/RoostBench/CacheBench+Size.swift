// SPDX-License-Identifier: Apache-2.0

// W6 and W7: the size of a cache, and eviction.

extension CacheBench {
    // MARK: - W6

    mutating func measureSize(
        of fixture: Fixture, peers kept: Int, size: Int? = nil
    ) async throws(BenchError) {
        let ours = try await OurCache(fixture.ours)
        let bytes = await ours.fileBytes()
        await ours.close()
        let oursSearching = try await OurCache(fixture.oursWithSearch, hasSearch: true)
        let bytesWithSearch = await oursSearching.fileBytes()
        await oursSearching.close()
        let limit = try Limit(fixture.limit)
        let searching = try Limit(fixture.limitWithSearch, .init(hasSearch: true))
        let count = Double(size ?? options.messages)
        let peers = [
            BenchReport.Peer(
                name: Peers.rows, cost: Double(Machine.bytes(below: fixture.rows)) / count),
            BenchReport.Peer(
                name: Peers.files,
                cost: Double(Machine.bytes(below: fixture.files)) / Double(max(1, kept))),
        ]
        report.add(
            "W6", "on disk, unknown fields kept by ours", "bytes/message",
            ours: Double(bytes) / count, limit: Double(try limit.fileBytes()) / count, target: 1.3,
            peers: peers, size: size)
        report.add(
            "W6", "the same with search", "bytes/message", ours: Double(bytesWithSearch) / count,
            limit: Double(try searching.fileBytes()) / count, target: 1.3, size: size)
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
                ours: rounds.ours.processor.median, limit: rounds.limit.processor.median,
                isDetail: true)
            report.add(
                "W7", "distance from the target size\(name)", "%",
                ours: ourMisses.median, limit: misses.median, isDetail: true)
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
}
