// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Feeds every decoder with hostile input; `docs/fuzzing.md` says how.
@main
struct FuzzCommand {
    static let targets =
        WireTargets.all + SocketTargets.all + StoredTargets.all + BusTargets.all
        + CommandTargets.all

    private static let usage = """
        usage: scripts/fuzz list
               scripts/fuzz run TARGET [--seed N] [--seconds S | --rounds N]
               scripts/fuzz all --seconds S [--seed N]
               scripts/fuzz guided TARGET|all [--minutes M]
        """

    private var seed: UInt64 = 1
    private var rounds = UInt64.max
    private var seconds = 10.0
    private var progress = ""

    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        switch words.first {
        case "list":
            for target in targets { print(target.name) }
        case "run", "child":
            guard let name = words.dropFirst().first,
                let target = targets.first(where: { $0.name == name }),
                let options = FuzzCommand(words.dropFirst(2))
            else { fail(usage) }
            if words.first == "child" { exit(options.child(target).run()) }
            exit(try await options.supervisor(target, options.seconds).run() ? 0 : 1)
        case "samples":
            guard let folder = words.dropFirst().first else { fail(usage) }
            for target in targets {
                try GuidedRun.writeSamples(of: target, to: "\(folder)/\(target.name)")
            }
        case "guided":
            guard let name = words.dropFirst().first,
                let target = targets.first(where: { $0.name == name })
            else { fail(usage) }
            exit(GuidedRun(target: target, arguments: Array(words.dropFirst(2))).run())
        case "all":
            guard let options = FuzzCommand(words.dropFirst()) else { fail(usage) }
            exit(try await options.runAll() ? 0 : 1)
        default: fail(usage)
        }
    }

    private init?(_ words: ArraySlice<String>) {
        var words = words
        while let name = words.popFirst() {
            guard let value = words.popFirst() else { return nil }
            switch name {
            case "--seed": seed = UInt64(value) ?? seed
            case "--rounds":
                rounds = UInt64(value) ?? rounds
                seconds = 86_400
            case "--seconds": seconds = Double(value) ?? seconds
            case "--progress": progress = value
            default: return nil
            }
        }
    }

    private func child(_ target: FuzzTarget) -> Child {
        Child(target: target, seed: seed, rounds: rounds, seconds: seconds, progress: progress)
    }

    private func supervisor(_ target: FuzzTarget, _ seconds: Double) -> Supervisor {
        Supervisor(target: target, seed: seed, rounds: rounds, seconds: seconds)
    }

    /// Gives each target an equal part of the time; a target that fails does not stop the others.
    private func runAll() async throws -> Bool {
        print("seed \(seed)")
        let each = max(0.2, seconds / Double(Self.targets.count))
        var failed: [String] = []
        for target in Self.targets where try await !supervisor(target, each).run() {
            failed.append(target.name)
        }
        if !failed.isEmpty { print("FAILED: \(failed.joined(separator: ", "))") }
        return failed.isEmpty
    }

    private static func fail(_ text: String) -> Never {
        print(text)
        exit(2)
    }
}
