// SPDX-License-Identifier: Apache-2.0

// Costs in caches of several sizes.
//
// All caches are built first. Then they take turns in each round, so that a disturbance of the
// machine does not look like growth.

extension CacheBench {
    /// The workloads that have a meaning over sizes.
    package static let sized: Set<Workload> = [.w2, .w3, .w4, .w6, .w8]

    /// One operation that is measured in caches of all sizes.
    private enum Operation: Hashable {
        case opening
        case page
        case live
        case search(Search)

        var workload: Workload {
            switch self {
            case .opening: .w2
            case .page: .w3
            case .live: .w4
            case .search: .w8
            }
        }

        var name: String {
            switch self {
            case .opening: "open, 20 channels, 30 messages; file in memory"
            case .page: "page of 30 at random"
            case .live: "live message, synced, no reader"
            case .search(let search): "newest 20 hits of \(search.kind)"
            }
        }

        /// The greatest allowed multiple of the limit.
        var target: Double? {
            if case .search = self { 1.5 } else { nil }
        }
    }

    /// The caches with one number of messages.
    private struct SizedCache {
        let data: ServerData
        let fixture: Fixture
        var costs: [Operation: Rounds] = [:]
    }

    /// Measures the costs over the sizes of the options.
    mutating func measureSizes() async throws(BenchError) {
        let workloads = options.workloads.intersection(Self.sized)
        let needsSearch = !workloads.isDisjoint(with: [.w6, .w8])
        var caches: [SizedCache] = []
        for count in options.sizes {
            let data = try ServerData(seed: options.seed, messages: count)
            let fixture = Fixture(folder: options.folder, name: "sized-\(count)")
            let kept = try await build(fixture, data, withSearch: needsSearch, withPeers: true)
            // Sizes first: live messages change them.
            if workloads.contains(.w6) {
                try await measureSize(of: fixture, peers: kept, size: count)
            }
            caches.append(SizedCache(data: data, fixture: fixture))
        }
        let searches = searches.filter { ["a frequent word", "a rare word"].contains($0.kind) }
        let operations: [Operation] =
            [.opening, .page, .live] + searches.map { Operation.search($0) }
        try await measure(operations.filter { workloads.contains($0.workload) }, in: &caches)
        for cache in caches { cache.fixture.remove() }
    }

    // MARK: - Scaling

    /// Measures a page, a live message and an opening at three sizes.
    mutating func scale(from large: Fixture) async throws(BenchError) {
        var caches: [SizedCache] = []
        for divisor in [100, 10] where options.messages / divisor > 0 {
            let count = options.messages / divisor
            let data = try ServerData(seed: options.seed, messages: count)
            let fixture = Fixture(folder: options.folder, name: "sized-\(count)")
            try await build(fixture, data, withSearch: false, withPeers: true)
            caches.append(SizedCache(data: data, fixture: fixture))
        }
        caches.append(SizedCache(data: data, fixture: large))
        let operations: [Operation] = [.opening, .page, .live]
        try await measure(operations, in: &caches)
        liveCount += options.rounds * Self.livePerRound
        for cache in caches.dropLast() { cache.fixture.remove() }
        guard let small = caches.first, let large = caches.last, caches.count > 1 else { return }
        for operation in operations {
            guard let one = small.costs[operation], let other = large.costs[operation] else {
                continue
            }
            report.add(
                "scaling", "\(operation.name), largest cache / smallest", "times",
                ours: other.ours.wall.median / one.ours.wall.median,
                limit: other.limit.wall.median / one.limit.wall.median, isDetail: true)
        }
    }

    /// Measures operations in caches by turns, and adds a row for each operation and size.
    private mutating func measure(
        _ operations: [Operation], in caches: inout [SizedCache]
    ) async throws(BenchError) {
        for round in 0..<options.rounds {
            tell("sizes, round \(round + 1) of \(options.rounds)")
            for operation in operations {
                for index in caches.indices {
                    let found = try await measure(operation, in: caches[index], round: round)
                    caches[index].costs[operation, default: Rounds()].append(found)
                }
            }
        }
        for operation in operations {
            for cache in caches {
                guard let costs = cache.costs[operation] else { continue }
                report.add(
                    operation.workload.rawValue, operation.name, "µs (p50)",
                    ours: costs.ours.wall.median, limit: costs.limit.wall.median,
                    target: operation.target, peers: costs.peers.costs,
                    size: cache.data.messageCount)
            }
        }
    }

    private func measure(
        _ operation: Operation, in cache: SizedCache, round: Int
    ) async throws(BenchError) -> Rounds {
        switch operation {
        case .opening: try await openings(cache.fixture, rounds: 5) { true }
        case .page: try await sizedPages(cache, seed: UInt64(9 + round))
        case .live: try await sizedLive(cache, from: round * Self.livePerRound)
        case .search(let search):
            try await hits(of: search, in: cache.fixture, rounds: 20, peerRounds: 2)
        }
    }

    private func sizedPages(
        _ cache: SizedCache, seed: UInt64
    ) async throws(BenchError) -> Rounds {
        let ours = try await OurCache(cache.fixture.ours)
        let limit = try Limit(cache.fixture.limit)
        let peer = try RowsCache(cache.fixture.rows)
        let places = cache.data.places(1_000, seed: seed)
        var rounds = Rounds()
        // In runs, so that each side finds the processor's caches as its own work leaves them.
        for start in stride(from: 0, to: places.count, by: 250) {
            let run = places[start..<min(start + 250, places.count)]
            for place in run {
                let watch = Stopwatch()
                try await ours.page(place, count: Self.pageLength)
                rounds.ours.append(watch.cost)
            }
            for place in run {
                let watch = Stopwatch()
                try limit.page(place, count: Self.pageLength)
                rounds.limit.append(watch.cost)
            }
        }
        for place in places {
            let watch = Stopwatch()
            try peer.page(place, count: Self.pageLength)
            rounds.peers.append(watch.microseconds, of: Peers.rows)
        }
        await ours.close()
        return rounds
    }

    /// One for each channel, so that the next round continues them.
    private static let livePerRound = ServerData.channelCount

    private func sizedLive(
        _ cache: SizedCache, from first: Int
    ) async throws(BenchError) -> Rounds {
        let ours = try await OurCache(cache.fixture.ours, waitsForDisk: true)
        let limit = try Limit(cache.fixture.limit, .init(waitsForDisk: true))
        let peer = try RowsCache(cache.fixture.rows, waitsForDisk: true)
        var rounds = Rounds()
        let numbers = first..<first + Self.livePerRound
        for number in numbers {
            let message = cache.data.live(number)
            var watch = Stopwatch()
            try await ours.putLive(message.body, after: message.predecessor)
            rounds.ours.append(watch.cost)
            watch = Stopwatch()
            try limit.putLive(message.body)
            rounds.limit.append(watch.cost)
        }
        for number in numbers {
            let body = cache.data.live(number).body
            let watch = Stopwatch()
            try peer.putLive(body)
            rounds.peers.append(watch.microseconds, of: Peers.rows)
        }
        await ours.close()
        return rounds
    }
}
