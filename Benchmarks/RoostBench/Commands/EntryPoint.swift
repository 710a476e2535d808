// SPDX-License-Identifier: Apache-2.0

package import RoostCommandLine

/// The entry point of `roost-bench`.
@main
enum EntryPoint {
    static func main() { Program.bench.main() }
}

extension Program {
    package static let bench = Program(
        "roost-bench", summary: "measures Roost against minimal programs for the same work",
        firstSteps: [
            ("roost-bench cache --messages 100000", "the cache against plain C on SQLite")
        ],
        commands: [
            .benchApp, .benchCache, .benchChat, .benchChild, .benchCluster, .benchDoors,
            .benchDraw, .benchEngine, .benchOutbox, .benchServer,
        ])
}
