// SPDX-License-Identifier: Apache-2.0

/// The exit codes of a command, for scripts; `docs/client.md` and every help text list them.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case failed = 1
    case wrongArguments = 2
    case storage = 3
    case server = 4

    /// The meaning of the number, in a few words.
    package var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed while running"
        case .wrongArguments: "wrong arguments"
        case .storage: "a folder or file cannot be used"
        case .server: "the server cannot be reached, or the address cannot be used"
        }
    }
}

/// The failure of a command: the sentence goes to standard error, the number to the calling
/// process.
package struct CommandFailure: Error, Hashable, Sendable {
    package let code: ExitCode
    /// One or two sentences with the remedy; several failures have a line each.
    package let message: String

    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Joins several failures, with the code of the first; nil without any.
    package init?(_ failures: [CommandFailure]) {
        guard let first = failures.first else { return nil }
        self.init(first.code, failures.map(\.message).joined(separator: "\n"))
    }
}
