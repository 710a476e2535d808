// SPDX-License-Identifier: Apache-2.0

package import RoostCommandLine

/// The entry point of `roost`.
@main
enum EntryPoint {
    static func main() { Program.roost.main() }
}

extension Program {
    package static let roost = Program(
        "roost",
        summary:
            "chat that works without a network: a server, a chat in the terminal, a client for scripts",
        firstSteps: [
            ("roost chat --demo", "chat with two people, on a server of its own"),
            ("roost help chat", "chat with others, each in a terminal"),
            ("roost demo", "see client and server at work"),
            ("roost help serve", "start a server"),
            ("roost help client", "drive a client from any language"),
        ],
        commands: [
            .chat, .demo, .serve, .backup, .migrate, .importData, .client, .cacheInspect,
            .cacheSearch,
            .cacheExport, .cacheVerify, .cacheClear, .journal, .check, .conform,
        ],
        successors: ["bench": "roost-bench", "simulate": "roost-simulate"])
}
