// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostWire

/// The cache against the limit: a plain C loop over SQLite with the leanest schema for the work.
///
/// Both sides get the same bytes and the same queries by turns in one process, so other work on the
/// machine affects both. Figures are medians of rounds. See `docs/benchmarks.md`.
package struct CacheBench {
    package enum Workload: String, CaseIterable, Sendable {
        case w1 = "W1"
        case w2 = "W2"
        case w3 = "W3"
        case w4 = "W4"
        case w5 = "W5"
        case w6 = "W6"
        case w7 = "W7"
        case w8 = "W8"
        case scaling
        case memory
    }

    package struct Options: Sendable {
        /// The number of messages of the large cache; the others have a tenth and a hundredth of
        /// it.
        package var messages = 1_000_000
        package var workloads = Set(Workload.allCases)
        /// The numbers of messages of the caches, if costs over sizes are measured and nothing
        /// else.
        package var sizes: [Int] = []
        package var rounds = 3
        package var seed: UInt64 = 1
        /// Whether W2 may empty the system's cache of files, to read from the disk.
        package var emptiesFileCaches = true
        /// The folder of the databases during the run; emptied afterwards.
        package var folder: String

        package init(folder: String) { self.folder = folder }
    }

    let options: Options
    let tell: @Sendable (String) -> Void
    let data: ServerData
    var report = BenchReport()
    /// The number of live messages that the large cache has; the next one continues them.
    var liveCount = 0

    /// Runs the workloads.
    ///
    /// - Parameters:
    ///   - options: The workloads and their length.
    ///   - progress: Receives a sentence for each step.
    /// - Returns: The figures; a missed target is one of them, and no error.
    /// - Throws: An error if the folder cannot be used, or one side fails.
    package static func run(
        _ options: Options, progress: @escaping @Sendable (String) -> Void
    ) async throws(BenchError) -> BenchReport {
        precondition(options.rounds > 0 && options.messages > 0, "There must be something to do.")
        // One thread reads, as in the engine of a client (docs/adr/0004).
        let executor = ThreadExecutor(name: "roost.bench")
        let outcome: Result<BenchReport, BenchError> = await withTaskExecutorPreference(executor) {
            do throws(BenchError) {
                return .success(try await measure(options, progress: progress))
            } catch {
                return .failure(error)
            }
        }
        await executor.shutDown()
        return try outcome.get()
    }

    private static func measure(
        _ options: Options, progress: @escaping @Sendable (String) -> Void
    ) async throws(BenchError) -> BenchReport {
        try Machine.makeFolder(options.folder)
        var options = options
        if let largest = options.sizes.max() { options.messages = largest }
        var bench = CacheBench(
            options: options, tell: progress,
            data: try ServerData(seed: options.seed, messages: options.messages))
        try bench.noteConditions()
        try await bench.runAll()
        bench.report.sortRows(by: Workload.allCases.map(\.rawValue))
        return bench.report
    }

    private mutating func noteConditions() throws(BenchError) {
        let wait = try Machine.diskWait(in: options.folder)
        let bytes: Int
        do throws(WireError) {
            bytes = try data.bytesPerMessage()
        } catch {
            throw BenchError("A generated page cannot be decoded: \(error)")
        }
        report.note("machine", Machine.description)
        report.note("load average at the start", Machine.load.map { "\($0)" } ?? "unknown")
        report.note("fdatasync of 4 KiB", "\(Int(wait)) µs")
        report.note("SQLite", Limit.sqliteVersion)
        report.note(
            "both sides",
            "WAL, page size 4096, page cache 8 MiB, synchronous NORMAL (W4: FULL), no mmap")
        report.note(
            "data",
            "seed \(options.seed), \(options.messages) messages in \(ServerData.channelCount) "
                + "channels, about \(bytes) bytes of JSON a message, pages of "
                + "\(ServerData.pageSize)")
        report.note(
            "limit's public values",
            "C structs, one allocation a message, every text copied; users shared")
        report.note(
            "peers",
            "JSON rows: a row of JSON for each message in SQLite, one index; files: the basic "
                + "cache in files of the v3 guides, 100 messages a channel")
        report.note("rounds", "\(options.rounds)")
    }

    private mutating func runAll() async throws(BenchError) {
        guard options.sizes.isEmpty else { return try await measureSizes() }
        if wants(.w1) { try await upsert() }
        let needsLarge: [Workload] = [.w2, .w3, .w4, .w5, .w6, .w7, .w8, .memory]
        guard needsLarge.contains(where: wants) || wants(.scaling) else { return }
        let large = Fixture(folder: options.folder, name: "large")
        let needsSearch = [Workload.w5, .w6, .w7, .w8].contains(where: wants)
        let peers = try await build(large, data, withSearch: needsSearch, withPeers: true)
        // Sizes first, because later workloads change them. Eviction last, because it deletes half.
        if wants(.w6) { try await measureSize(of: large, peers: peers) }
        if wants(.w2) { try await openCold(large) }
        if wants(.w3) { try await readPages(of: large) }
        if wants(.memory) { try await pageThroughAll(of: large) }
        if wants(.w8) { try await search(large) }
        if wants(.scaling) { try await scale(from: large) }
        if wants(.w4) { try await commitLive(large) }
        if wants(.w5) { try await applyChangeLogs(large) }
        if wants(.w7) { try await evict(large) }
        large.remove()
    }

    func wants(_ workload: Workload) -> Bool { options.workloads.contains(workload) }
}

/// One cache of each kind, with the same messages.
struct Fixture {
    let folder: String
    let name: String

    var ours: String { "\(folder)/\(name)-ours" }
    var oursWithSearch: String { "\(folder)/\(name)-ours-search" }
    var limit: String { "\(folder)/\(name)-limit.sqlite" }
    var limitWithSearch: String { "\(folder)/\(name)-limit-search.sqlite" }
    /// The peers' caches.
    var rows: String { "\(folder)/\(name)-rows.sqlite" }
    var files: String { "\(folder)/\(name)-files" }

    func remove() {
        Machine.remove(ours)
        Machine.remove(oursWithSearch)
        Machine.remove(files)
        for path in [limit, limitWithSearch, rows] {
            for ending in ["", "-wal", "-shm"] { Machine.remove(path + ending) }
        }
    }
}

extension CacheBench {
    /// Builds the caches of all sides.
    ///
    /// - Returns: The number of messages that the peer in files keeps.
    @discardableResult
    func build(
        _ fixture: Fixture, _ data: ServerData, withSearch: Bool, withPeers: Bool = false
    ) async throws(BenchError) -> Int {
        fixture.remove()
        let watch = Stopwatch()
        var ours = try await OurCache(fixture.ours)
        let limit = try Limit(fixture.limit)
        let searching =
            withSearch ? try Limit(fixture.limitWithSearch, .init(hasSearch: true)) : nil
        var oursSearching =
            withSearch ? try await OurCache(fixture.oursWithSearch, hasSearch: true) : nil
        let rows = withPeers ? try RowsCache(fixture.rows) : nil
        var files = withPeers ? try FilesCache(fixture.files) : nil
        let channels = data.channels()
        try await ours.putChannels(channels)
        try limit.putChannels(channels)
        try searching?.putChannels(channels)
        try await oursSearching?.putChannels(channels)
        try rows?.putChannels(channels)
        try files?.putChannels(channels)
        for number in 0..<data.pageCount {
            if number % max(1, data.pageCount / 10) == 0 {
                tell(
                    "building the caches of \(data.messageCount) messages: "
                        + "\(number * 100 / data.pageCount) %")
            }
            let body = data.page(number)
            try await ours.putPage(body)
            try limit.putPage(body)
            try searching?.putPage(body)
            try await oursSearching?.putPage(body)
            try rows?.putPage(body)
            try files?.putPage(body)
        }
        await ours.close()
        limit.close()
        searching?.close()
        await oursSearching?.close()
        tell("built in \(Int(watch.microseconds / 1e6)) s")
        return files?.messageCount ?? 0
    }
}
