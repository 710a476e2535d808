// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostStore

// W4: single durable messages beside a reader.

extension CacheBench {
    /// The times of one side's writer and reader, in microseconds.
    private struct Live {
        var commits: [Double] = []
        var pages: [Double] = []
    }

    mutating func commitLive(_ fixture: Fixture) async throws(BenchError) {
        let perRound = min(2_000, max(100, options.messages / 100))
        var ours = Live()
        var limit = Live()
        var number = liveCount
        for round in 1...options.rounds {
            tell("W4, round \(round) of \(options.rounds): \(perRound) messages beside a reader")
            let numbers = number..<number + perRound
            number += perRound
            let one = try await oursLive(fixture, numbers)
            ours.commits.append(one.commits.median)
            ours.pages += one.pages
            let other = try limitLive(fixture, numbers)
            limit.commits.append(other.commits.median)
            limit.pages += other.pages
        }
        report.add(
            "W4", "live message, synced, beside a reader", "µs (p50)", ours: ours.commits.median,
            limit: limit.commits.median, target: 1.5)
        report.add(
            "W4", "the reader's page of 30 meanwhile", "µs (p50)", ours: ours.pages.median,
            limit: limit.pages.median)
        report.add(
            "W4", "the reader's page of 30 meanwhile", "µs (p99)", ours: ours.pages.quantile(0.99),
            limit: limit.pages.quantile(0.99), isDetail: true)
    }

    private func oursLive(
        _ fixture: Fixture, _ numbers: Range<Int>
    ) async throws(BenchError) -> Live {
        let ours = try await OurCache(fixture.ours, waitsForDisk: true)
        let stops = Guarded(false)
        let (reader, places) = (ours.store.readers[0], data.places(4_096, seed: 5))
        // On a thread of its own, like the limit's reader.
        let pager = ThreadExecutor(name: "roost.pager")
        let pages = Task(executorPreference: pager) {
            await Self.readPages(reader, places, stops)
        }
        var live = Live()
        for number in numbers {
            let message = data.live(number)
            let watch = Stopwatch()
            try await ours.putLive(message.body, after: message.predecessor)
            live.commits.append(watch.microseconds)
        }
        stops.withLock { $0 = true }
        live.pages = await pages.value
        await pager.shutDown()
        await ours.close()
        return live
    }

    private static func readPages(
        _ reader: StoreReader, _ places: [Place], _ stops: Guarded<Bool>
    ) async -> [Double] {
        var micros: [Double] = []
        var index = 0
        while !stops.withLock({ $0 }) {
            let watch = Stopwatch()
            // A failure is reported by the writer's side; a failed reader stops counting.
            guard (try? await OurCache.page(places[index], count: 30, reader)) != nil else { break }
            micros.append(watch.microseconds)
            index = (index + 1) % places.count
        }
        return micros
    }

    private func limitLive(_ fixture: Fixture, _ numbers: Range<Int>) throws(BenchError) -> Live {
        let limit = try Limit(fixture.limit, .init(waitsForDisk: true))
        let pager = try LimitPager(fixture.limit, data)
        var live = Live()
        for number in numbers {
            let message = data.live(number)
            let watch = Stopwatch()
            try limit.putLive(message.body)
            live.commits.append(watch.microseconds)
        }
        live.pages = pager.stop()
        limit.close()
        return live
    }
}
