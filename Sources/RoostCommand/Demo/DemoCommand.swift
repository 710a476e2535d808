// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let fast = Option("fast", help: "no pauses and no drawings; well under a minute")
    static let keep = Option("keep", help: "keep the folder with the databases and say where it is")
}

extension Command {
    static let demo = Command(
        "demo", summary: "plays the main job with a real server and two real clients",
        explanation: """
            Starts a server and two clients as processes of their own, cuts one's link, kills it, lets both
            write meanwhile, and connects again. Every step is checked; the first that does not hold ends
            the demo with a cross, what was expected and what was seen. Needs no network.
            """,
        options: [.fast, .keep], example: "roost demo --fast",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let folder = try TemporaryFolder(named: "roost-demo")
            let (isFast, keeps) = (arguments.has(.fast), arguments.has(.keep))
            let failure = await OwnThread.run {
                let demo = Demo(folder: folder.path, isFast: isFast, style: .standardOutput)
                return demo.play()
            }
            if keeps {
                StandardOutput.writeNow("The databases are in \(folder.path)")
            } else {
                folder.remove()
            }
            switch failure {
            case nil: break
            case .interrupted: throw CommandFailure(.failed, "The demo was interrupted.")
            case .expected:
                throw CommandFailure(
                    .failed,
                    "The demo did not hold. With --keep its databases stay, for a look with "
                        + "roost cache inspect.")
            }
        })
}
