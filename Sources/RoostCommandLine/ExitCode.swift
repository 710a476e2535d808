// SPDX-License-Identifier: Apache-2.0

/// How a command ended, for scripts; the numbers are promised in `docs/client.md` and in every help text.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case failed = 1
    case wrongArguments = 2
    case storage = 3
    case server = 4

    /// What the number says, in a few words.
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

/// Why a command ends early: the sentence goes to standard error, the number to whoever called.
package struct CommandFailure: Error, Hashable, Sendable {
    package let code: ExitCode
    /// One sentence or two that say what to do; several failures have a line each.
    package let message: String

    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Several as one, with the code of the first; nil without any.
    package init?(_ failures: [CommandFailure]) {
        guard let first = failures.first else { return nil }
        self.init(first.code, failures.map(\.message).joined(separator: "\n"))
    }
}
