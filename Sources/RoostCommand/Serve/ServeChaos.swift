// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostHost

extension Option {
    static let chaos = Option(
        "chaos", .text(placeholder: "SEED|PLAN.json"),
        help:
            "make faults on purpose, to test clients: at standard rates by a seed, or by a plan "
            + "(docs/chaos.md); --chaos with the same value repeats them")
}

/// The option `--chaos` of a server.
enum ServeChaos {
    /// Returns the plan of the arguments; nil without the option.
    ///
    /// - Throws: `.wrongArguments` for a bad seed or plan, or for a server that other machines reach
    ///   without consent; `.storage` for a file that cannot be read.
    static func plan(_ arguments: Arguments) throws(CommandFailure) -> ChaosPlan? {
        guard let text = arguments.text(.chaos) else { return nil }
        let host = arguments.requiredText(.host)
        guard LoopbackAddress.contains(host) || arguments.has(.insecure) else {
            throw CommandFailure(
                .wrongArguments,
                "--chaos makes faults on purpose, and other machines reach \(host): give --insecure too "
                    + "if this is intended.")
        }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return try plan(file: text)
        }
        guard let seed = Int64(text), ChaosPlan.seeds.contains(seed) else {
            throw CommandFailure(
                .wrongArguments,
                "--chaos wants a seed from 0 to \(ChaosPlan.seeds.upperBound), not “\(text)”.")
        }
        return .standard(seed: UInt64(clamping: seed))
    }

    private static func plan(file path: String) throws(CommandFailure) -> ChaosPlan {
        // One byte more shows that a file is too large.
        guard let file = FileHandle(forReadingAtPath: path),
            let content = try? file.read(upToCount: ChaosPlan.fileBytes + 1)
        else {
            throw CommandFailure(
                .storage,
                "There is no readable file \(path): --chaos wants a seed, which is a number, or the file "
                    + "of a plan.")
        }
        do throws(ChaosPlanError) {
            return try ChaosPlan(json: Array(content))
        } catch {
            throw CommandFailure(.wrongArguments, "The plan \(path) cannot be used: \(error)")
        }
    }

    /// Returns the warning of a server with a plan, which says how to repeat the run.
    static func warning(_ plan: ChaosPlan, _ arguments: Arguments) -> String {
        "faults are made on purpose, for tests of clients only: seed \(plan.seed), each fault is a line "
            + "on standard error; to repeat the run: --chaos \(arguments.text(.chaos) ?? "")"
    }
}
