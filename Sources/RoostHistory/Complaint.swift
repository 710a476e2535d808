// SPDX-License-Identifier: Apache-2.0

/// A promise that a history shows to be broken.
package struct Complaint: Hashable, Sendable {
    /// The promises.
    package enum Rule: String, CaseIterable, Sendable {
        /// An acknowledged send is in the log once, as acknowledged, and nothing else is.
        case once
        /// The messages of one client stand in the order of its calls.
        case senderOrder = "sender_order"
        /// All clients see the same messages in the same order.
        case oneOrder = "one_order"
        /// A stretch that claims to be whole is whole.
        case hole
        /// An acknowledged edit or deletion lasts.
        case undone
        /// The last snapshot of a client that has caught up equals the log.
        case final

        /// The name in sentences.
        package var title: String {
            switch self {
            case .once: "exactly once"
            case .senderOrder: "order of a sender"
            case .oneOrder: "one order for all"
            case .hole: "no hidden hole"
            case .undone: "nothing undone"
            case .final: "final state"
            }
        }
    }

    package let rule: Rule
    package let place: HistoryPlace
    package let channel: String
    /// The message; nil if the complaint is about none in particular.
    package let message: Int64?
    package let request: String?
    package let expected: String
    package let seen: String
}

/// The complaints of one check; a bounded number of them is kept, and all are counted.
struct Findings: Sendable {
    private(set) var complaints: [Complaint] = []
    private(set) var count = 0

    mutating func add(
        _ rule: Complaint.Rule, at place: HistoryPlace, _ channel: String, _ message: Int64?,
        request: String? = nil, expected: String, seen: String
    ) {
        count += 1
        guard complaints.count < HistoryLimits.complaints else { return }
        complaints.append(
            Complaint(
                rule: rule, place: place, channel: channel, message: message, request: request,
                expected: expected, seen: seen))
    }
}

/// The outcome of a check.
package struct Verdict: Sendable {
    /// The size of a history, for the summary.
    package struct Counts: Hashable, Sendable {
        package var lines = 0
        package var clients = 0
        package var channels = 0
        package var acknowledgedSends = 0
        package var acknowledgedEdits = 0
        package var acknowledgedDeletions = 0
        package var snapshots = 0
        package var messagesInLogs = 0
        /// Messages in the logs by senders without a history, about which little can be said.
        package var messagesOfOthers = 0
    }

    /// In the order of their places; at most a thousand.
    package let complaints: [Complaint]
    /// The number of all complaints.
    package let complaintCount: Int
    /// Remarks on the limits of this check, such as a channel without a log.
    package let notes: [String]
    package let counts: Counts

    package var isGood: Bool { complaintCount == 0 }
}

extension HistoryPlace {
    /// Returns the place as `FILE:LINE`.
    package func text(in files: [String]) -> String {
        let name = files.indices.contains(Int(file)) ? files[Int(file)] : "file \(file + 1)"
        return "\(name):\(line)"
    }
}
