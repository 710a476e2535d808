// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One message that the server does not have, as far as this device knows.
package struct OutboxItem: Hashable, Sendable {
    /// The order of writing, over all channels.
    package let sequence: Int64
    package let requestID: RequestID
    package let channel: ChannelURL
    /// On the device's clock, which orders only what is unsent.
    package let createdAt: Timestamp
    package let content: OutboxContent
    package let state: UnsentState
    /// How often sending was begun.
    package let attemptCount: Int
    /// Whether bytes of it may have reached the server: then its fate is looked for before a resend.
    package let hasLeft: Bool
}

extension OutboxItem {
    /// The message as a timeline shows it while it is unsent.
    package func message(from sender: Sender?) -> Message {
        switch content {
        case .userMessage(let params):
            Message(
                delivery: .unsent(requestID, state), channelURL: channel, createdAt: createdAt,
                sender: sender, content: .user(text: params.text), data: params.data,
                customType: params.customType, mention: params.mention,
                metaArrays: params.metaArrays, parentID: params.parentID,
                isReplyToChannel: params.isReplyToChannel, isSilent: params.isSilent)
        }
    }
}

/// Everything in the outbox.
package struct OutboxItems: Hashable, Sendable {
    /// In the order they were written.
    package let items: [OutboxItem]
    /// Items that this release cannot read; they stay where they are and block nothing (scar 65).
    package let unreadable: [RequestID]
}

/// The stored numbers of `UnsentState`; never given to another state.
enum OutboxStateTag: Int64 {
    case pending = 0
    case failed = 1
    case canceled = 2
}

extension UnsentState {
    var stored: (tag: OutboxStateTag, code: Int64?) {
        switch self {
        case .pending: (.pending, nil)
        case .failed(let code): (.failed, Int64(code.rawValue))
        case .canceled: (.canceled, nil)
        }
    }

    init?(tag: Int64, code: Int64?) {
        switch OutboxStateTag(rawValue: tag) {
        case .pending: self = .pending
        case .failed: self = .failed(RoostError.Code(Int(clamping: code ?? 0)))
        case .canceled: self = .canceled
        case nil: return nil
        }
    }
}
