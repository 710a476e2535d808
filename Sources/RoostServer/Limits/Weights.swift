// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

// A client closes a socket for one frame that is too long, and gives up a list for one answer that
// is too long. So content is weighed before it is stored.

extension String {
    /// The number of bytes of the text as a JSON string, without its quotes.
    var jsonBytes: Int {
        utf8.reduce(0) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x09, 0x0A, 0x0D: count + 2
            case 0..<0x20: count + 6
            default: count + 1
            }
        }
    }
}

extension JSONWriter {
    /// Returns the number of bytes that a closure writes.
    static func weight(_ body: (inout JSONWriter) -> Void) -> Int {
        var writer = JSONWriter()
        body(&writer)
        return writer.bytes.count
    }

    /// Returns the text that a closure writes.
    static func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return writer.text
    }
}

extension User {
    var weight: Int { JSONWriter.weight { $0.user(self) } }

    /// The user in a list of mentioned users: without metadata and settings.
    var card: User {
        User(id: id, nickname: nickname, profileURL: profileURL, isActive: isActive)
    }
}

extension Member {
    var weight: Int { JSONWriter.weight { $0.member(self) } }
}

extension GroupChannel {
    var weight: Int { JSONWriter.weight { $0.groupChannel(self) } }
}

extension Poll {
    /// The greatest number of bytes of the poll in an answer: the reader has voted for every
    /// option, and all counts are long.
    var weight: Int { JSONWriter.weight { $0.fields(of: self) } + 64 * (options.count + 1) }
}

extension ChannelRecord {
    var weight: Int {
        [url.rawValue, name, coverURL, data, customType, traits.json]
            .reduce(0) { $0 + $1.jsonBytes }
    }
}

extension Message {
    /// The number of bytes of the message in a page.
    var weight: Int { JSONWriter.weight { $0.message(self) } }

    /// The number of bytes of the message's own content; 0 for a message that is certainly light.
    ///
    /// The sender, the thread and the parent's preview have room of their own (`ServerLimits`),
    /// because each of them changes without the message.
    var contentWeight: Int {
        guard mayBeHeavy else { return 0 }
        var message = self
        message.sender = nil
        var hasPoll = unknownFields["poll_id"] != nil
        if !hasNoDetails {
            hasPoll = hasPoll || details.poll != nil
            message.details.threadInfo = nil
            message.details.parentPreview = nil
            message.details.poll = nil
        }
        let own = JSONWriter.weight { $0.message(message) }
        return own + (hasPoll ? ServerLimits.pollBytes : 0)
    }

    /// Decodes the message as clients will, if it has unknown fields, which are stored as sent.
    fileprivate func readBack() throws(WireError) {
        guard !unknownFields.isEmpty || metaArrays.contains(where: { !$0.unknownFields.isEmpty })
        else { return }
        var message = self
        message.delivery = .delivered(MessageID(1), requestID)
        var reader = JSONReader(JSONWriter.text { $0.message(message) })
        _ = try reader.readMessage()
        let frame = ServerEvent.message(MessageEvent(message: message, previousMessageID: nil))
        for event in ServerEvent.decodeAll(frame.encoded) { _ = try event.get() }
    }

    /// Whether the message may be near the bound, so that its weight has to be measured.
    ///
    /// Most messages are a short text. Even with each byte escaped into six it is far below the
    /// bound.
    private var mayBeHeavy: Bool {
        guard hasNoDetails, metaArrays.isEmpty, unknownFields.isEmpty, mention.userIDs.isEmpty,
            case .user(let text) = content
        else { return true }
        return text.utf8.count + data.utf8.count > 6_144
    }

    /// The preview of the message in its replies; if it is too heavy, its text is cut and its data
    /// are left out.
    package var shownPreview: ParentPreview {
        let whole = preview
        guard whole.mayBeHeavy, whole.weight > ServerLimits.previewBytes else { return whole }
        var short = whole
        short.data = ""
        short.translations = [:]
        short.unknownFields = UnknownFields()
        short.content = short.content.cut(to: ServerLimits.previewBytes / 12)
        if short.weight > ServerLimits.previewBytes { short.customType = "" }
        if short.weight > ServerLimits.previewBytes { short.content = .user(text: "") }
        return short
    }
}

extension ParentPreview {
    fileprivate var mayBeHeavy: Bool {
        guard translations.isEmpty, unknownFields.isEmpty, case .user(let text) = content else {
            return true
        }
        return text.utf8.count + data.utf8.count + customType.utf8.count > 1_024
    }

    /// The number of bytes that the preview adds to a reply, without its sender.
    fileprivate var weight: Int {
        var reply = Message(
            delivery: .delivered(MessageID(1), nil), channelURL: "", createdAt: .distantPast,
            sender: nil,
            content: .user(text: ""))
        let empty = JSONWriter.weight { $0.message(reply) }
        var preview = self
        preview.sender = nil
        reply.details.parentPreview = preview
        return JSONWriter.weight { $0.message(reply) } - empty
    }
}

extension MessageContent {
    /// Returns the content with its text cut to a number of bytes, between two characters.
    fileprivate func cut(to bytes: Int) -> MessageContent {
        switch self {
        case .user(let text): return .user(text: text.cut(to: bytes))
        case .admin(let text): return .admin(text: text.cut(to: bytes))
        case .file(var file):
            file.caption = file.caption.cut(to: bytes)
            file.files = []
            file.data = ""
            file.unknownFields = UnknownFields()
            return .file(file)
        case .unknown: return self
        }
    }
}

extension String {
    fileprivate func cut(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var cut = ""
        for character in self {
            guard cut.utf8.count + character.utf8.count <= bytes else { break }
            cut.append(character)
        }
        return cut
    }
}

// MARK: - Refusals

extension ServerLimits {
    /// Refuses a message that does not fit into an answer, or that no client can read.
    func check(content message: Message) throws(ServerError) {
        guard message.contentWeight <= Self.contentBytes else {
            throw Self.tooLong("A message with all that it carries", Self.contentBytes)
        }
        do throws(WireError) {
            try message.readBack()
        } catch {
            throw ServerError(error)
        }
    }

    /// Refuses a poll above `pollBytes`.
    func check(_ poll: Poll) throws(ServerError) {
        guard poll.weight > Self.pollBytes else { return }
        throw Self.tooLong("A poll with its options", Self.pollBytes)
    }

    /// Refuses a change that makes a channel too heavy; a heavy channel may become lighter.
    func check(_ record: ChannelRecord, since before: ChannelRecord?) throws(ServerError) {
        let weight = record.weight
        guard weight > Self.channelBytes, weight > before?.weight ?? 0 else { return }
        throw Self.tooLong("A channel with its metadata and counters", Self.channelBytes)
    }

    /// Refuses a change that takes a user beyond a limit; a user beyond it may become lighter.
    func check(_ record: UserRecord, since before: UserRecord?) throws(ServerError) {
        try check(record.user, since: before?.user)
        let (traits, known) = (record.traits, before?.traits ?? UserTraits())
        if traits.blocked.count > known.blocked.count {
            try check(count: traits.blocked.count, "blocked users", atMost: blockedUsers)
        }
        if traits.uploadedFiles > known.uploadedFiles {
            try check(
                count: traits.uploadedFiles, "files uploaded by one user", atMost: uploadedFiles)
            guard traits.uploadedBytes <= uploadedBytes else {
                throw ServerError(
                    .tooManyItems,
                    "The files of one user may have \(uploadedBytes) bytes at most.")
            }
        }
        if traits.discoveryKeys != known.discoveryKeys {
            try check(count: traits.discoveryKeys.count, "discovery keys", atMost: entries)
            for key in traits.discoveryKeys { try check(name: key, "A discovery key") }
        }
        guard traits.preferences != known.preferences else { return }
        let weight = traits.preferences.text.utf8.count
        guard weight > preferenceBytes, weight > known.preferences.text.utf8.count else { return }
        throw Self.tooLong("A user's settings", preferenceBytes)
    }

    /// Refuses a user that does not fit into a message as its sender.
    func check(_ user: User, since before: User?) throws(ServerError) {
        guard user != before else { return }
        let languages = user.hasNoDetails ? [] : user.details.preferredLanguages
        try check(count: languages.count, "preferred languages", atMost: self.languages)
        let weight = user.weight
        guard weight > Self.userBytes, weight > before?.weight ?? 0 else { return }
        throw Self.tooLong("A user with name, picture and metadata", Self.userBytes)
    }
}
