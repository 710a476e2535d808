// SPDX-License-Identifier: Apache-2.0

/// One line of a history: one fact, as its client recorded it.
///
/// `docs/history.md` describes the form of the lines.
package struct HistoryLine: Hashable, Sendable {
    /// The name of the recording client, the same in all of its lines.
    package var client: String
    /// The place of the line in the order of its client; it rises from line to line.
    package var number: Int64
    package var fact: HistoryFact

    package init(client: String, number: Int64, _ fact: HistoryFact) {
        self.client = client
        self.number = number
        self.fact = fact
    }
}

/// The kinds of facts in a history.
package enum HistoryFact: Hashable, Sendable {
    /// The client's process has started.
    case start(HistoryStart)
    /// A request is about to be performed.
    case call(HistoryCall)
    /// A request has ended.
    case answer(HistoryAnswer)
    /// The server has stored a message that was sent.
    case acknowledged(HistoryMessage, channel: String)
    /// The server has made an edit.
    case edited(Int64, text: String, channel: String)
    /// The server has made a deletion.
    case deleted(Int64, channel: String)
    /// The outbox has given up a message.
    case failed(request: String, code: Int64?, channel: String)
    /// A message was canceled.
    case canceled(request: String, channel: String)
    /// The server has refused a change, named as its call; older lines do not name it.
    case refused(
        Int64?, code: Int64?, channel: String, action: String? = nil, request: String? = nil)
    /// An open timeline has changed.
    case change(HistoryChange)
    /// A timeline as the client showed it.
    case snapshot(HistoryView)
    /// The log of a channel at the end, or a part of it.
    case log(HistoryView)

    /// The names of the kinds in the field `is`.
    package enum Kind: String, CaseIterable, Sendable {
        case start
        case call
        case answer
        case acknowledged
        case edited
        case deleted
        case failed
        case canceled
        case refused
        case change
        case snapshot
        case log
    }

    package var kind: Kind {
        switch self {
        case .start: .start
        case .call: .call
        case .answer: .answer
        case .acknowledged: .acknowledged
        case .edited: .edited
        case .deleted: .deleted
        case .failed: .failed
        case .canceled: .canceled
        case .refused: .refused
        case .change: .change
        case .snapshot: .snapshot
        case .log: .log
        }
    }
}

/// The start of a client's process.
package struct HistoryStart: Hashable, Sendable {
    package var form: Int64
    /// The user; nil for a recorder that is no user, such as a call of the platform.
    package var user: String?
    package var application: String?

    package init(form: Int64 = HistoryLimits.form, user: String?, application: String? = nil) {
        self.form = form
        self.user = user
        self.application = application
    }
}

/// A request to the client.
package struct HistoryCall: Hashable, Sendable {
    /// The requests that the judge knows; a history may have calls with other names.
    package enum Known: String, Sendable {
        case send
        case sendFile = "send_file"
        case edit
        case delete
        case resend
        case cancel
        case snapshot
    }

    package var name: String
    package var channel: String?
    package var text: String?
    package var message: Int64?
    package var request: String?

    package init(
        _ name: String, channel: String? = nil, text: String? = nil, message: Int64? = nil,
        request: String? = nil
    ) {
        self.name = name
        self.channel = channel
        self.text = text
        self.message = message
        self.request = request
    }
}

/// The end of a call.
package struct HistoryAnswer: Hashable, Sendable {
    /// The number of the call's line.
    package var call: Int64
    package var isOK: Bool
    /// The request ID of a message that was queued.
    package var request: String?
    package var code: Int64?

    package init(call: Int64, isOK: Bool, request: String? = nil, code: Int64? = nil) {
        self.call = call
        self.isOK = isOK
        self.request = request
        self.code = code
    }
}

/// A message that the server has, as a client showed it.
package struct HistoryMessage: Hashable, Sendable {
    package var id: Int64
    /// The server's time in milliseconds; with the ID it is the message's place.
    package var createdAt: Int64
    package var request: String?
    package var sender: String?
    package var text: String
    /// The server's time of the last edit.
    package var updatedAt: Int64?

    package init(
        id: Int64, createdAt: Int64, request: String? = nil, sender: String? = nil,
        text: String, updatedAt: Int64? = nil
    ) {
        self.id = id
        self.createdAt = createdAt
        self.request = request
        self.sender = sender
        self.text = text
        self.updatedAt = updatedAt
    }
}

/// A change of an open timeline.
package struct HistoryChange: Hashable, Sendable {
    package var channel: String
    package var inserted: [HistoryMessage]
    package var updated: [HistoryMessage]
    package var deleted: [Int64]

    package init(
        channel: String, inserted: [HistoryMessage] = [], updated: [HistoryMessage] = [],
        deleted: [Int64] = []
    ) {
        self.channel = channel
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

/// A stretch of a channel that claims to be whole from its first to its last message.
package struct HistoryView: Hashable, Sendable {
    package var channel: String
    /// The number of the call's line; the client knew everything before it.
    package var call: Int64?
    package var messages: [HistoryMessage]
    /// Whether messages before the first one may exist.
    package var hasOlder: Bool
    /// Whether messages behind the last one may exist.
    package var hasNewer: Bool
    /// Whether the client was connected and had nothing left to fetch or send.
    package var isCaughtUp: Bool

    package init(
        channel: String, call: Int64? = nil, messages: [HistoryMessage], hasOlder: Bool = false,
        hasNewer: Bool = false, isCaughtUp: Bool = true
    ) {
        self.channel = channel
        self.call = call
        self.messages = messages
        self.hasOlder = hasOlder
        self.hasNewer = hasNewer
        self.isCaughtUp = isCaughtUp
    }
}
