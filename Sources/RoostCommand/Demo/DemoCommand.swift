// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let fast = Option("fast", help: "no pauses and no drawings; well under a minute")
    static let servers = Option(
        "servers", .text(placeholder: "URLS"),
        help:
            "play the story on running servers of the application demo that require no access "
            + "tokens, such as those of a cluster: Ada uses the first one, Bo the last one; "
            + "separated by commas")
    static let keep = Option("keep", help: "keep the folder of the databases and print its path")
}

extension Command {
    static let demo = Command(
        "demo", summary: "shows a conversation between two clients and a server",
        explanation: """
            Starts a server and two clients as processes, cuts one client's connection, kills it,
            lets both write meanwhile, and connects it again. Every step is checked; the first
            failed step ends the demo with a cross, the expected and the seen value. Needs no
            network.
            """,
        options: [.fast, .servers, .keep], example: "roost demo --fast",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let (isFast, keeps) = (arguments.has(.fast), arguments.has(.keep))
            let servers = (arguments.text(.servers) ?? "").split(separator: ",").map(String.init)
            guard arguments.has(.servers) == !servers.isEmpty else {
                throw CommandFailure(
                    .wrongArguments,
                    "--servers wants addresses such as http://127.0.0.1:8080, separated by commas.")
            }
            let folder = try TemporaryFolder(named: "roost-demo")
            let failure = await OwnThread.run {
                let demo = Demo(
                    folder: folder.path, servers: servers, isFast: isFast, style: .standardOutput)
                return demo.play()
            }
            if keeps {
                StandardOutput.writeNow("The databases are in \(folder.path)")
            } else {
                folder.remove()
            }
            switch failure {
            // A reader that has left has all it needs; a full disk is told elsewhere.
            case nil, .unread: break
            case .interrupted: throw CommandFailure(.failed, "The demo was interrupted.")
            case .expected:
                throw CommandFailure(
                    .failed,
                    "The demo failed. With --keep its databases stay, for an inspection with "
                        + "roost cache inspect.")
            }
        })
}
