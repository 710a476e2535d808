// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine

/// A secret that a command needs, and its possible places.
///
/// Every user of the machine can read a process's arguments, so a file and the environment are the
/// safe places.
struct Secret {
    /// The most bytes that are read of a file; tokens are far shorter.
    private static let byteLimit = 65_536

    /// The option with the secret itself.
    let option: Option
    /// The option with a file of the secret; white space around it does not count.
    let file: Option
    /// The variable of the environment.
    let variable: String

    /// Returns the secret: the argument, else the file's, else the environment's, else nil.
    ///
    /// - Throws: `.wrongArguments` for both options at once; `.storage` for a file without a secret.
    func read(
        _ arguments: Arguments,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> String? {
        try arguments.refuseSeveral(of: [option, file])
        guard let path = arguments.text(file) else {
            if let text = arguments.text(option) { return text }
            let text = environment[variable] ?? ""
            return text.isEmpty ? nil : text
        }
        // A file that cannot be read and one without a secret are the same mistake here.
        let file = FileHandle(forReadingAtPath: path)
        let content = (try? file?.read(upToCount: Self.byteLimit)) ?? Data()
        let text = String(decoding: content, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            throw CommandFailure(
                .storage,
                "There is no readable secret in \(path): write it there with (umask 077; printf "
                    + "%s SECRET > \(path)), or name another file as --\(self.file.name).")
        }
        return text
    }
}
