// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The values of outcomes, for the callers of operations; nil for an outcome of another kind.

extension Outcome {
    package var count: Int? { if case .count(let count) = self { count } else { nil } }

    package var channel: GroupChannel? {
        if case .channel(let channel) = self { channel } else { nil }
    }

    package var openChannel: OpenChannel? {
        if case .openChannel(let channel) = self { channel } else { nil }
    }

    package var message: Message? {
        if case .message(let message) = self { message } else { nil }
    }

    package var votes: (PollVotes, MessageID?)? {
        if case .votes(let votes, let message) = self { (votes, message) } else { nil }
    }

    package var metadata: [String: String]? {
        if case .metadata(let metadata) = self { metadata } else { nil }
    }

    package var comparison: CacheComparison? {
        if case .comparison(let result) = self { result } else { nil }
    }

    package var estimate: DownloadEstimate? {
        if case .estimated(let estimate) = self { estimate } else { nil }
    }

    package var trim: TrimProgress? { if case .trimmed(let trim) = self { trim } else { nil } }

    /// Whether no key of the removed messages is left on the disk.
    ///
    /// Always true for a removal that did not ask to destroy the key.
    package var isErased: Bool? {
        if case .erased(let isComplete) = self { isComplete } else { nil }
    }

    package var item: OutboxItem? { if case .item(let item) = self { item } else { nil } }

    package var requestID: RequestID? {
        if case .request(let requestID) = self { requestID } else { nil }
    }

    package var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

    package var refusals: [ChangeRefusal]? {
        if case .refusals(let refusals) = self { refusals } else { nil }
    }
}
