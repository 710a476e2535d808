// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport

/// Starts a child for a target and reports how it ended.
struct Supervisor {
    /// The time limit of an input, the report of a trap included.
    private static let patience: Duration = .seconds(30)

    let target: FuzzTarget
    let seed: UInt64
    let rounds: UInt64
    let seconds: Double

    /// Returns whether the child read all inputs.
    func run() async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "roost-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A folder that cannot be removed remains among the system's temporary ones.
        defer { try? FileManager.default.removeItem(at: folder) }
        let progress = folder.appending(path: "progress").path
        let output = folder.appending(path: "output").path
        let child = try ChildProcess(
            ChildProcess.built("RoostFuzz"),
            [
                "child", target.name, "--seed", "\(seed)", "--rounds", "\(rounds)", "--seconds",
                "\(seconds)", "--progress", progress,
            ], output: output)
        let watch = Task { await stopWhenStuck(child, progress) }
        let ending = await child.end()
        watch.cancel()
        let words = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        let summary = words.split(separator: "\n").last.map(String.init) ?? ""
        guard ending == .exited(0) else {
            report(ending, summary, Progress(reading: progress))
            return false
        }
        print("\(target.name): \(summary)")
        return true
    }

    private func stopWhenStuck(_ child: ChildProcess, _ path: String) async {
        var last: Progress?
        while !Task.isCancelled {
            // The wait ends early with the child.
            try? await Task.sleep(for: Self.patience)
            let now = Progress(reading: path)
            if !Task.isCancelled, let now, now == last { child.signal(SIGKILL) }
            last = now
        }
    }

    private func report(
        _ ending: ChildProcess.Ending?, _ summary: String, _ progress: Progress?
    ) {
        let reason =
            switch ending {
            case .killed(SIGKILL): "does not come to an end"
            case .killed(let signal): "is ended by signal \(signal)"
            case .exited(Child.Code.memory): "takes more than \(Child.memoryLimit >> 20) MiB"
            case .exited(Child.Code.complaint): "is wrong: \(summary)"
            case .exited(let code): "ends with \(code): \(summary)"
            case nil: "is gone"
            }
        print("FAILED: \(target.name) \(reason)")
        switch progress {
        case .corpus(let number): print("  with input \(number + 1) of Fuzz/Corpus/\(target.name)")
        case .round(let round):
            let bytes = target.input(seed: seed, round: round).bytes
            print("  seed \(seed), round \(round), \(bytes.count) bytes")
            print(
                "  text: \(String(decoding: bytes.prefix(2_000), as: UTF8.self).debugDescription)")
            let hex = bytes.prefix(1_000).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            print("  hex: \(hex.joined())")
            if let file = Corpus.keep(bytes, of: target.name, as: "\(seed)-\(round)") {
                print("  kept as \(file): commit it with what mends it")
            }
            print("  again: scripts/fuzz run \(target.name) --seed \(seed) --rounds \(round + 1)")
        case nil: print("  before its first input")
        }
    }
}
