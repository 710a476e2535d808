// SPDX-License-Identifier: Apache-2.0

package import RoostWire

extension HistoryLine {
    /// Reads a line that fills the rest of the reader's text.
    ///
    /// - Throws: An error with the place in the line, for a missing field, a value of another kind
    ///   or a number beyond its bounds. Fields with unknown names are skipped.
    package init(_ reader: inout JSONReader) throws(WireError) {
        var fields = LineFields()
        try reader.readObject { name, reader throws(WireError) in
            try fields.take(name, &reader)
        }
        try reader.finish()
        self = HistoryLine(
            client: try fields.name(fields.client, "client"),
            number: try fields.needed(fields.number, "n"), try fields.fact())
    }
}

/// The fields of one line, in whatever order they came.
private struct LineFields {
    var kind: HistoryFact.Kind?
    var client: String?
    var number: Int64?
    var form: Int64?
    var user: String?
    var application: String?
    var action: String?
    var channel: String?
    var text: String?
    var messageID: Int64?
    var request: String?
    var call: Int64?
    var isOK: Bool?
    var code: Int64?
    var message: HistoryMessage?
    var messages: [HistoryMessage]?
    var inserted: [HistoryMessage] = []
    var updated: [HistoryMessage] = []
    var deleted: [Int64] = []
    var hasOlder: Bool?
    var hasNewer: Bool?
    var isCaughtUp: Bool?

    mutating func take(_ name: String, _ reader: inout JSONReader) throws(WireError) {
        if try reader.readNull() { return }
        switch name {
        case "is": kind = try reader.readFactKind()
        case "client": client = try reader.readString()
        case "n": number = try reader.readInt64(in: HistoryLimits.numbers)
        case "channel": channel = try reader.readString()
        case "text": text = try reader.readString()
        case "do": action = try reader.readString()
        case "call": call = try reader.readInt64(in: HistoryLimits.numbers)
        case "ok": isOK = try reader.readBool()
        case "request_id": request = try reader.readString()
        case "message_id": messageID = try reader.readInt64(in: HistoryLimits.messageIDs)
        case "message": message = try reader.readHistoryMessage()
        case "messages": messages = try reader.readHistoryMessages()
        case "inserted": inserted = try reader.readHistoryMessages()
        case "updated": updated = try reader.readHistoryMessages()
        case "deleted":
            deleted = try reader.readList { reader throws(WireError) in
                try reader.readInt64(in: HistoryLimits.messageIDs)
            }
        case "has_older": hasOlder = try reader.readBool()
        case "has_newer": hasNewer = try reader.readBool()
        case "caught_up": isCaughtUp = try reader.readBool()
        case "error_code": code = try reader.readInt64(in: HistoryLimits.codes)
        case "form": form = try reader.readInt64(in: HistoryLimits.numbers)
        case "user": user = try reader.readString()
        case "app_id": application = try reader.readString()
        default: try reader.skipValue()
        }
    }

    func fact() throws(WireError) -> HistoryFact {
        switch try needed(kind, "is") {
        case .start:
            return .start(
                HistoryStart(
                    form: try needed(form, "form"), user: user, application: application))
        case .call: return .call(try checkedCall())
        case .answer:
            return .answer(
                HistoryAnswer(
                    call: try needed(call, "call"), isOK: try needed(isOK, "ok"),
                    request: request, code: code))
        case .acknowledged:
            return .acknowledged(try needed(message, "message"), channel: try neededChannel())
        case .edited:
            return .edited(
                try needed(messageID, "message_id"), text: try needed(text, "text"),
                channel: try neededChannel())
        case .deleted:
            return .deleted(try needed(messageID, "message_id"), channel: try neededChannel())
        case .failed:
            return .failed(
                request: try name(request, "request_id"), code: code,
                channel: try neededChannel())
        case .canceled:
            return .canceled(
                request: try name(request, "request_id"), channel: try neededChannel())
        case .refused:
            return .refused(
                messageID, code: code, channel: try neededChannel(), action: action,
                request: request)
        case .change:
            return .change(
                HistoryChange(
                    channel: try neededChannel(), inserted: inserted, updated: updated,
                    deleted: deleted))
        case .snapshot: return .snapshot(try view(isCaughtUp: try needed(isCaughtUp, "caught_up")))
        case .log: return .log(try view(isCaughtUp: true))
        }
    }

    private func view(isCaughtUp: Bool) throws(WireError) -> HistoryView {
        HistoryView(
            channel: try neededChannel(), call: call, messages: try needed(messages, "messages"),
            hasOlder: try needed(hasOlder, "has_older"),
            hasNewer: try needed(hasNewer, "has_newer"), isCaughtUp: isCaughtUp)
    }

    /// Returns the call, whose name decides which fields it needs.
    private func checkedCall() throws(WireError) -> HistoryCall {
        let action = try name(action, "do")
        switch HistoryCall.Known(rawValue: action) {
        case .send, .sendFile:
            _ = (try neededChannel(), try needed(text, "text"))
        case .edit:
            _ = (try neededChannel(), try needed(text, "text"))
            _ = try needed(messageID, "message_id")
        case .delete: _ = (try neededChannel(), try needed(messageID, "message_id"))
        case .resend, .cancel: _ = try name(request, "request_id")
        case .snapshot, nil: break
        }
        return HistoryCall(
            action, channel: channel, text: text, message: messageID, request: request)
    }

    private func neededChannel() throws(WireError) -> String { try name(channel, "channel") }

    func needed<Value>(_ value: Value?, _ field: String) throws(WireError) -> Value {
        guard let value else {
            throw WireError(.missing, message: "The field “\(field)” is missing.")
        }
        return value
    }

    /// Returns a text that names a thing, and therefore is not empty.
    func name(_ value: String?, _ field: String) throws(WireError) -> String {
        let value = try needed(value, field)
        guard !value.isEmpty else {
            throw WireError(.invalid, message: "The field “\(field)” is empty.")
        }
        return value
    }
}

extension JSONReader {
    fileprivate mutating func readInt64(
        in range: ClosedRange<Int64>
    ) throws(WireError) -> Int64 {
        let start = position
        let value = try readInt64()
        guard range.contains(value) else {
            throw WireError(
                .outOfRange, offset: start,
                message: "The number is not between \(range.lowerBound) and \(range.upperBound).")
        }
        return value
    }

    fileprivate mutating func readFactKind() throws(WireError) -> HistoryFact.Kind {
        let start = position
        guard let kind = HistoryFact.Kind(rawValue: try readString()) else {
            throw WireError(.invalid, offset: start, message: "“is” has no known kind.")
        }
        return kind
    }

    fileprivate mutating func readHistoryMessages() throws(WireError) -> [HistoryMessage] {
        try readList { reader throws(WireError) in try reader.readHistoryMessage() }
    }

    fileprivate mutating func readHistoryMessage() throws(WireError) -> HistoryMessage {
        let start = position
        var (id, createdAt) = (nil as Int64?, nil as Int64?)
        var text: String?
        var message = HistoryMessage(id: 0, createdAt: 0, text: "")
        try readObject { name, reader throws(WireError) in
            if try reader.readNull() { return }
            switch name {
            case "id": id = try reader.readInt64(in: HistoryLimits.messageIDs)
            case "created_at": createdAt = try reader.readInt64(in: HistoryLimits.moments)
            case "request_id": message.request = try reader.readString()
            case "sender": message.sender = try reader.readString()
            case "text": text = try reader.readString()
            case "updated_at": message.updatedAt = try reader.readInt64(in: HistoryLimits.moments)
            default: try reader.skipValue()
            }
        }
        guard let id, let createdAt, let text else {
            throw WireError(
                .missing, offset: start, message: "A message needs “id”, “created_at” and “text”.")
        }
        (message.id, message.createdAt, message.text) = (id, createdAt, text)
        return message
    }
}
