// SPDX-License-Identifier: Apache-2.0

/// The result of one check.
package struct CheckResult: Sendable {
    package enum Outcome: Hashable, Sendable {
        case holds
        /// The rule does not hold; `transcript` has the last things that were sent and received.
        case failed(expected: String, seen: String, transcript: [String])
        /// The server does not offer the feature, or has chosen otherwise.
        case skipped(String)
        /// The run ended before.
        case notRun
    }

    package let check: Check
    package let group: String
    package let outcome: Outcome
    package let duration: Duration

    package init(check: Check, group: String, outcome: Outcome, duration: Duration) {
        self.check = check
        self.group = group
        self.outcome = outcome
        self.duration = duration
    }
}

/// The results of a run.
package struct RunResult: Sendable {
    package let server: String
    package let applicationID: String
    package private(set) var results: [CheckResult] = []
    /// The paths of objects that the run could not remove.
    package private(set) var leftovers: [String] = []
    /// The reason why the rest was not run; nil if all checks were.
    package private(set) var end: String?
    /// The time of all checks together.
    package private(set) var duration: Duration = .zero

    package init(server: String, applicationID: String) {
        self.server = server
        self.applicationID = applicationID
    }

    package mutating func add(_ result: CheckResult) {
        results.append(result)
        duration += result.duration
    }

    /// Notes the objects that a check has left.
    package mutating func leave(_ paths: [String]) { leftovers += paths }

    /// Notes that the rest of the checks is not run.
    package mutating func giveUp(_ reason: String) { end = reason }

    package var failedCount: Int {
        results.count { if case .failed = $0.outcome { true } else { false } }
    }
    package var skippedCount: Int {
        results.count { if case .skipped = $0.outcome { true } else { false } }
    }
    package var heldCount: Int { results.count { $0.outcome == .holds } }
    package var notRunCount: Int { results.count { $0.outcome == .notRun } }
    /// Whether no check has come to a result: none was run, or each was skipped.
    package var checkedNothing: Bool { heldCount == 0 && failedCount == 0 }
    /// Whether each check that was chosen was run, none failed, and one holds at least.
    package var isGood: Bool { heldCount > 0 && failedCount == 0 && notRunCount == 0 }
}
