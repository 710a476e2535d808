// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostHost
import RoostModel
import RoostPages

extension Option {
    static let copiedData = Option(
        "data", .text(placeholder: "DIR"), isRequired: true,
        help: "the folder given to roost serve as --data")
    static let to = Option(
        "to", .text(placeholder: "DIR"), isRequired: true,
        help: "the folder of the copy; it must not exist yet")
}

extension Command {
    static let backup = Command(
        "backup", summary: "copies a server's data while it runs",
        explanation: """
            Checks the server's database and copies it with the uploaded files. All acknowledged
            messages are in the copy. To restore it, stop the server and put the copy in the
            place of its folder. The data of roost serve --database is copied by the tools of
            PostgreSQL instead.
            """,
        options: [.copiedData, .to], example: "roost backup --data ./server --to ./server-monday",
        exitCodes: [.done, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let target = arguments.requiredText(.to)
            do throws(RoostError) {
                let content = try ChatBackup.make(
                    of: arguments.requiredText(.copiedData), to: target)
                let files = Measures.count(content.files, "file")
                StandardOutput.writeNow(
                    "\(target): \(content.databaseBytes) bytes of messages, \(files)")
            } catch {
                throw CommandFailure(.storage, error.message)
            }
        })
}
