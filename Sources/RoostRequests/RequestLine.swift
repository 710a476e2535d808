// SPDX-License-Identifier: Apache-2.0

package import RoostCommandLine
package import RoostModel
package import RoostWire

/// One decoded line of a script: its request, or an error for the answer.
package struct RequestLine: Sendable {
    /// The ID for the answer, unchanged; null if the line has none.
    package let id: JSONValue
    package let outcome: Result<Request, RoostError>

    package init(_ line: LineSplitter.Line) {
        var value: JSONValue?
        outcome = Result { () throws(RoostError) in
            let object = try Self.object(in: line)
            value = object
            return try Request(object)
        }
        id = value?["id"] ?? .null
    }

    private static func object(in line: LineSplitter.Line) throws(RoostError) -> JSONValue {
        guard case .text(let bytes) = line else {
            throw malformed("The line is longer than 1 MiB, so it was skipped: send a shorter one.")
        }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw malformed(
                "The line is not JSON: \(error). A request is one line, such as "
                    + "{\"id\":1,\"request\":\"connect\"}.")
        }
        guard case .object = value else {
            throw malformed(
                "A line must be a JSON object, such as {\"id\":1,\"request\":\"connect\"}.")
        }
        return value
    }

    private static func malformed(_ message: String) -> RoostError {
        RoostError(.malformedData, remedy: .correctInput, message: message)
    }
}

extension Request {
    /// Reads a request from a line's object.
    ///
    /// - Throws: `.invalidParameter` with a sentence that names the field and its required form.
    package init(_ value: JSONValue) throws(RoostError) {
        let fields = RequestFields(value)
        let name = try fields.requestName()
        try fields.refuseUnknown(for: name)
        switch name {
        case .connect: self = .connect
        case .disconnect: self = .disconnect
        case .createChannel:
            self = .createChannel(
                ChannelCreateParams(
                    memberIDs: try fields.strings("members").map { UserID($0) },
                    name: try fields.text("name") ?? "",
                    isDistinct: try fields.flag("distinct") ?? false))
        case .channels: self = .channels(anew: try fields.flag("anew") ?? false)
        case .moreChannels: self = .moreChannels
        case .open:
            self = .open(
                ChannelURL(try fields.neededText("channel")), startingAt: try fields.start())
        case .older: self = .older
        case .newer: self = .newer
        case .send: self = .send(try fields.neededText("text"), try fields.channel())
        case .sendFile:
            self = .sendFile(
                path: try fields.neededText("path"), try fields.text("text") ?? "",
                try fields.channel())
        case .edit:
            self = .edit(
                try fields.messageID(), try fields.neededText("text"), try fields.channel())
        case .delete: self = .delete(try fields.messageID(), try fields.channel())
        case .addReaction, .removeReaction:
            self = .react(
                try fields.neededText("key"), adds: name == .addReaction, try fields.messageID(),
                try fields.channel())
        case .markRead: self = .markRead(through: try fields.moment(), try fields.channel())
        case .startTyping: self = .typing(isStart: true, try fields.channel())
        case .endTyping: self = .typing(isStart: false, try fields.channel())
        case .search:
            self = .search(
                try fields.neededText("words"), limit: try fields.limit(), try fields.channel())
        case .holes: self = .holes(try fields.channel())
        case .download:
            self = .download(try fields.neededText("url"), path: try fields.text("path"))
        case .resend: self = .resend(RequestID(try fields.neededText("request_id")))
        case .cancel: self = .cancel(RequestID(try fields.neededText("request_id")))
        case .leave: self = .change(.leave, try fields.channel())
        case .hide:
            let allowsAutoUnhide = try fields.flag("auto_unhide") ?? true
            self = .change(.hide(allowsAutoUnhide: allowsAutoUnhide), try fields.channel())
        case .unhide: self = .change(.unhide, try fields.channel())
        case .updateChannel:
            let params = ChannelUpdateParams(
                name: try fields.text("name"), coverURL: try fields.text("cover_url"),
                data: try fields.text("data"), customType: try fields.text("custom_type"))
            self = .change(.update(params), try fields.channel())
        case .invite:
            let users = try fields.strings("members").map { UserID($0) }
            self = .change(.invite(users), try fields.channel())
        case .setPushTrigger:
            self = .change(.setPushTrigger(try fields.pushTrigger()), try fields.channel())
        case .saveDraft:
            self = .saveDraft(
                try fields.text("text") ?? "", thread: try fields.thread(), try fields.channel())
        case .drafts: self = .drafts
        case .inbox:
            self = .inbox(
                try fields.neededText("name"), isFromBeginning: try fields.isFromBeginning())
        case .acknowledge: self = .acknowledge(try fields.neededText("name"))
        case .snapshot: self = .snapshot
        case .close: self = .close
        case .cache: self = .cache
        case .compare: self = .compare(try fields.channel())
        case .health: self = .health
        case .waitIdle: self = .waitIdle
        case .quit: self = .quit
        }
    }
}

/// Reads the fields of a request, with a sentence for each possible error.
private struct RequestFields {
    private let object: JSONValue

    init(_ object: JSONValue) {
        self.object = object
    }

    /// The requests that other programs know by these names.
    private static let otherNames: [String: Request.Name] = [
        "react": .addReaction, "typing": .startTyping, "unread": .channels, "messages": .snapshot,
        "exit": .quit, "bye": .quit,
    ]

    func requestName() throws(RoostError) -> Request.Name {
        guard let value = object["request"] else {
            throw wrong(
                "The line has no field “request” with the name of a request, such as “connect”.")
        }
        guard let word = value.string else { throw wrong("“request” must be a string.") }
        guard let name = Request.Name(rawValue: word) else {
            let question =
                Self.otherNames[word].map { "; did you mean \($0.rawValue)?" }
                ?? NearestName.question(
                    for: word, among: Request.Name.allCases.map(\.rawValue))
            throw wrong(
                "There is no request “\(Self.beginning(of: word))”\(question)"
                    + (question == "." ? " docs/client.md lists the requests." : ""))
        }
        return name
    }

    /// Refuses unknown fields, because a misspelt field would be a request half understood.
    func refuseUnknown(for name: Request.Name) throws(RoostError) {
        guard case .object(let fields) = object else { return }
        let known = ["id", "request"] + name.fields
        for field in fields where !known.contains(field.name) {
            let question = NearestName.question(for: field.name, among: name.fields)
            let shown = Self.beginning(of: field.name)
            throw wrong("The request \(name.rawValue) has no field “\(shown)”\(question)")
        }
    }

    /// Returns a word for a sentence; a line may have one of a megabyte.
    private static func beginning(of word: String) -> String {
        let scalars = word.unicodeScalars
        return scalars.count > 80 ? String(scalars.prefix(80)) + "…" : word
    }

    func text(_ name: String) throws(RoostError) -> String? {
        guard let value = present(name) else { return nil }
        guard let text = value.string else { throw wrong("“\(name)” must be a string.") }
        return text
    }

    func neededText(_ name: String) throws(RoostError) -> String {
        guard let text = try text(name), !text.isEmpty else {
            throw wrong("This request needs “\(name)”, a string that is not empty.")
        }
        return text
    }

    func flag(_ name: String) throws(RoostError) -> Bool? {
        guard let value = present(name) else { return nil }
        guard let flag = value.bool else { throw wrong("“\(name)” must be true or false.") }
        return flag
    }

    func strings(_ name: String) throws(RoostError) -> [String] {
        guard let values = present(name)?.array else {
            throw wrong("This request needs “\(name)”, a list of strings.")
        }
        let strings = values.compactMap(\.string).filter { !$0.isEmpty }
        guard strings.count == values.count else {
            throw wrong("Every entry of “\(name)” must be a string that is not empty.")
        }
        return strings
    }

    func channel() throws(RoostError) -> ChannelURL? {
        guard present("channel") != nil else { return nil }
        return ChannelURL(try neededText("channel"))
    }

    func messageID() throws(RoostError) -> MessageID {
        guard let id = present("message_id")?.int, id > 0 else {
            throw wrong("This request needs “message_id”, a whole number from 1.")
        }
        return MessageID(id)
    }

    func thread() throws(RoostError) -> MessageID? {
        guard let value = present("thread") else { return nil }
        guard let id = value.int, id > 0 else {
            throw wrong("“thread” must be a whole number from 1.")
        }
        return MessageID(id)
    }

    func moment() throws(RoostError) -> Timestamp? {
        guard let value = present("through") else { return nil }
        guard let moment = value.int else {
            throw wrong("“through” must be whole milliseconds since 1970.")
        }
        return Timestamp(milliseconds: moment)
    }

    func limit() throws(RoostError) -> Int {
        guard let value = present("limit") else { return 20 }
        guard let limit = value.int, (1...1_000).contains(limit) else {
            throw wrong("“limit” must be a whole number from 1 to 1000.")
        }
        return Int(limit)
    }

    func pushTrigger() throws(RoostError) -> PushTrigger {
        let word = try neededText("trigger")
        guard let trigger = PushTrigger(rawValue: word) else {
            let words = PushTrigger.allCases.map { "“\($0.rawValue)”" }.joined(separator: ", ")
            throw wrong("“trigger” must be one of \(words).")
        }
        return trigger
    }

    func start() throws(RoostError) -> Timestamp {
        switch present("starting_at") {
        case nil, .string("latest"): .distantFuture
        case .int(let milliseconds): Timestamp(milliseconds: milliseconds)
        default:
            throw wrong(
                "“starting_at” must be \"latest\" or whole milliseconds since 1970.")
        }
    }

    func isFromBeginning() throws(RoostError) -> Bool {
        switch present("from") {
        case nil, .string("now"): false
        case .string("beginning"): true
        default: throw wrong("“from” must be \"now\" or \"beginning\".")
        }
    }

    /// Returns a field's value; null counts as absent.
    private func present(_ name: String) -> JSONValue? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    private func wrong(_ message: String) -> RoostError {
        RoostError(.invalidParameter, remedy: .correctInput, message: message)
    }
}
