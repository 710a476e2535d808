// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let seeds = Option(
        "seeds", .number(placeholder: "N", 1...100_000_000), standard: "100",
        help: "the number of runs, each from the next seed")
    static let firstSeed = Option(
        "from", .number(placeholder: "S", 0...Int.max), standard: "1", help: "the first seed")
    static let oneSeed = Option(
        "seed", .number(placeholder: "N", 0...Int.max), help: "one run, instead of --seeds")
    static let onlySteps = Option(
        "only", .text(placeholder: "STEPS"),
        help: "take only these steps of each run, such as 0,3,9: those of a shortened run")
    static let steps = Option(
        "steps", .number(placeholder: "N", 1...1_000_000), standard: "2000",
        help: "actions of each run")
    static let actions = Option(
        "actions", .number(placeholder: "N", 1...Action.allCases.count),
        help: "draw from the first N kinds of actions only: those of an older kept run")
    static let trace = Option("trace", help: "print every action and every fault")
    static let core = Option(
        "core", help: "core worlds: the machines alone, about ten times as fast")
    static let store = Option(
        "store", help: "the real store against the reference store, by random commits")
    static let noShrinking = Option(
        "no-shrinking", help: "print a failing run as it is, without the search for a short one")
    static let firstFailure = Option("first-failure", help: "stop at the first broken invariant")
    static let hostile = Option(
        "hostile", help: "scenes with a hostile server instead of runs with faults")
    static let book = Option(
        "book", .text(placeholder: "FILE"),
        help: "note finished runs in FILE, and leave out those that it has")
    static let jobs = Option(
        "jobs", .number(placeholder: "N", 1...256), standard: "1", help: "concurrent runs")
}

extension Command {
    static let simulate = Command(
        "", summary: "runs random worlds in virtual time and checks every invariant",
        explanation: """
            Each seed decides a run: some users on some devices, who write, read, come and go while links
            break, answers are lost, processes crash and clocks jump. The engine, the cache and the server's
            core are the real ones. Every invariant is checked at each step and at the end against the
            server's log. The same seed gives the same run: --seed N --trace prints it.

            With --core the machines of the clients run alone: a store in memory and a model of the server
            stand in for the disk and the server, and no thread or socket takes part. Many more runs fit into
            an hour, of the same actions and with the same invariants.

            A failing run is shortened: steps are left out as long as the rest fails too. What is left is
            printed as a line for the list of runs that the tests keep.

            With --book a long series can be cut and continued: the same command runs the seeds that the book
            lacks. A book is of one program, so a new build needs a new book.

            With --store each seed decides random commits, one a step. The store on SQLite and the store of the
            core worlds must report the same changes and give the same answers.

            With --hostile each seed decides a scene: the server refuses, repeats, invents, hurries and stalls,
            and becomes honest at the end. No call may wait over 10 s, no minute may have over 300 requests, the
            cache has to verify, and the client has to show the honest server's data.
            """,
        options: [
            .seeds, .firstSeed, .oneSeed, .steps, .onlySteps, .actions, .core, .store, .hostile,
            .book, .jobs,
            .firstFailure, .noShrinking, .trace,
        ],
        example: "roost-simulate --seeds 1000",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let only = arguments.number(.oneSeed)
            let first = only ?? arguments.number(.firstSeed) ?? 1
            let count = only == nil ? arguments.number(.seeds) ?? 1 : 1
            let seeds = UInt64(first)..<UInt64(first + count)
            let atOnce = arguments.number(.jobs) ?? 1
            if arguments.has(.hostile) {
                let runner = HostileRunner(
                    keepsTrace: arguments.has(.trace),
                    stopsAtFailure: arguments.has(.firstFailure))
                return try Command.report(await runner.run(seeds, atOnce: atOnce))
            }
            if arguments.has(.store) {
                let runner = StoreRunner(
                    commits: arguments.number(.steps) ?? 2_000,
                    stopsAtFailure: arguments.has(.firstFailure))
                return try Command.report(await runner.run(seeds))
            }
            let world = arguments.has(.core) ? World.core : .full
            var shape = WorldShape()
            if let steps = arguments.number(.steps) { shape.steps = steps }
            if let count = arguments.number(.actions) { shape.actions = count }
            let folder = try TemporaryFolder(named: "roost-simulate", inMemory: true)
            let runner = SeedRunner(
                world: world, shape: shape, folder: folder, keepsTrace: arguments.has(.trace),
                stopsAtFailure: arguments.has(.firstFailure),
                shrinks: !arguments.has(.noShrinking), only: try steps(arguments))
            defer { folder.remove() }
            guard let path = arguments.text(.book) else {
                return try Command.report(await runner.run(seeds, atOnce: atOnce))
            }
            let file = try RunBookFile(path, world: world, steps: shape.steps)
            let failed = try await runner.run(seeds, atOnce: atOnce, in: file)
            try Command.report(failed)
        })

    /// Returns the steps of `--only`; nil without it.
    private static func steps(_ arguments: Arguments) throws(CommandFailure) -> Set<Int>? {
        guard let text = arguments.text(.onlySteps) else { return nil }
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let steps = words.compactMap { Int($0.drop { $0 == " " }) }
        guard steps.count == words.count else {
            throw CommandFailure(
                .wrongArguments, "--only needs numbers of steps with commas, such as 0,3,9.")
        }
        return Set(steps)
    }

    /// Ends the command with a failure that names the failed seeds, if there are any.
    private static func report(_ failed: [UInt64]) throws(CommandFailure) {
        guard !failed.isEmpty else { return }
        let seeds = failed.map { "\($0)" }.joined(separator: ", ")
        throw CommandFailure(
            .failed,
            "Invariants were broken: print the run with --seed N --trace, N being \(seeds).")
    }
}
