// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The bounds of texts, lists and objects that users and the platform store; bytes are those of
/// UTF-8.
///
/// The first kind bounds single texts and lists; the configuration may change some of them. The
/// second kind, the weights, follows from the limits of clients (`WireLimits`). A weight counts
/// bytes of JSON, escapes included.
package struct ServerLimits: Equatable, Sendable {
    /// The body of a call, unless it is a form with a file.
    package var bodyBytes = 4_194_304
    /// A message's text, and its data.
    package var textBytes = 65_536
    /// Each name, address, type and key.
    package var nameBytes = 2_048
    /// The ID of a user or the URL of a channel; escapes count, because receipts repeat IDs.
    package var idBytes = 256
    /// The entries of metadata, counters or meta arrays of one object, and the values of one meta
    /// array.
    package var entries = 100
    /// The users in one call.
    package var users = RequestFields.listLimit
    package var pins = 100
    /// The different reactions to one message.
    package var reactions = 100
    /// The open sockets of one user.
    package var sessionsPerUser = Int.max
    /// The open sockets of one network address, for a server behind a proxy, which names it.
    package var sessionsPerAddress = Int.max
    /// The calls of one user under way, until their answers have left.
    package var callsAtOnce = 32
    /// The valid session keys of one user; a further one ends the oldest.
    ///
    /// Each start of an app takes one.
    package var keysPerUser = 200
    /// The valid access tokens with an end of one user; a further one ends the oldest.
    package var tokensPerUser = 1_000

    /// The users whom one message mentions; the message carries the name of each.
    package var mentions = 100
    /// The users in one query; the answer carries all data of each.
    package var queriedUsers = 1_000
    /// The members of a group channel; each message goes to each of them.
    package var members = 20_000
    /// The sockets inside an open channel; each message goes to each of them.
    package var participants = 20_000
    /// The open channels that one socket is inside; each exit is published when the socket ends.
    package var roomsPerSession = 100
    /// The operators of a channel; one frame carries all of them, as users of at most `userBytes`.
    package var operators = 100
    /// The users with a ban or a mute in a channel, members or not.
    package var restrictions = 10_000
    /// The users whom one user blocks; each call about a user reads the list.
    package var blockedUsers = 2_000
    /// The device tokens of one user for one push service; a further one replaces the oldest.
    package var devices = 20
    /// The preferred languages of a user.
    package var languages = 20
    /// All settings of a user together, device tokens and quiet hours included.
    package var preferenceBytes = 131_072
    /// The messages in one import; each becomes a frame for every member.
    package var importedMessages = 100
    /// The waiting scheduled messages of one user.
    package var scheduledMessages = 1_000
    /// The sent, failed and canceled scheduled messages of one user; a new one removes the oldest
    /// beyond.
    package var finishedScheduledMessages = 1_000
    /// The channels of both kinds that one user has created; a deleted one counts for 30 days.
    package var createdChannels = 10_000
    /// The polls that one user has created, removed ones included, because change logs list them.
    package var createdPolls = 10_000
    /// The reports that one user has made.
    package var reports = 10_000
    /// The unknown users in one call, each of whom the server creates by a write of its own.
    package var newUsers = 100
    /// The files that one user has uploaded.
    package var uploadedFiles = 100_000
    /// The size of all files that one user has uploaded, in bytes: 100 GiB.
    package var uploadedBytes: Int64 = 107_374_182_400
    /// The voters in one poll; each vote reads all of them.
    package var voters = 10_000
    /// The bytes of the rows in one answer.
    ///
    /// The difference to the limit of clients is room for the envelope of the last row and the
    /// fields around the rows.
    package var answerBytes = WireLimits.answerBytes - 16_384
    /// The bytes of messages that one call of a search reads; the token of its answer leads to the
    /// rest.
    package var searchBytes = 8_388_608
    /// The bytes of messages after which an answer with fingerprints ends; the client asks for the
    /// other stretches again.
    ///
    /// A client asks for 50 stretches of 150 messages.
    package var fingerprintBytes = 33_554_432
    /// The bytes of whole channels after which a list of public channels ends; its token leads to
    /// the rest.
    package var listedBytes = 33_554_432
    /// The members after whom a list of a user's channels ends; its token leads to the rest.
    package var listedMembers = 100_000

    package init() {}
}

// MARK: - Weights

extension ServerLimits {
    /// The bytes of a message in a page, with its sender, its thread or its parent.
    ///
    /// An answer has room for `pageMessages` of them, the anchor's message and a thread's parent.
    package static let messageBytes = 82_944
    /// The messages on one side of a page.
    ///
    /// A short side means the end of history, so a server cannot shorten it for its weight.
    package static let pageMessages = 200
    /// The bytes of a user; every message carries its sender.
    package static let userBytes = 4_096
    /// The bytes of a thread's summary, or of a parent's preview with its sender.
    package static let relationBytes = 11_264
    /// The bytes of other fields of a message, such as times and the sender's role.
    private static let frameworkBytes = 512
    /// The bytes of a message's own content: text, data, meta arrays, mentioned users, reactions
    /// and poll.
    ///
    /// A text of `textBytes` fits, and 1,536 bytes with it.
    package static let contentBytes =
        messageBytes - userBytes - relationBytes - frameworkBytes
    /// The bytes of a parent's preview in a reply, without the sender.
    package static let previewBytes = relationBytes - userBytes
    /// The bytes of a poll; the message that carries it reserves them.
    package static let pollBytes = 32_768
    /// The bytes of a channel's properties, metadata and counters; one frame may carry all metadata
    /// twice.
    package static let channelBytes = 262_144
    /// The bytes of the members in a channel's row of an answer; a list of members has the rest.
    ///
    /// Ten thousand members of ordinary size fit, and three such rows fit in an answer.
    package static let memberBytes = 4_194_304
    /// The bytes of the members in one frame; more members come in several frames.
    package static let frameMemberBytes = WireLimits.frameBytes / 2
}

// MARK: - Texts and lists

extension ServerLimits {
    /// Refuses a text above `textBytes`.
    func check(text: String?, _ what: String) throws(ServerError) {
        try check(text, what, textBytes)
    }

    /// Refuses a name above `nameBytes`.
    func check(name: String?, _ what: String) throws(ServerError) {
        try check(name, what, nameBytes)
    }

    /// Refuses a user ID above `idBytes`.
    func check(user id: UserID) throws(ServerError) {
        guard id.rawValue.jsonBytes <= idBytes else {
            throw ServerError(
                RoostError.Code(400_305), "A user ID may have \(idBytes) bytes at most.")
        }
    }

    /// Refuses a channel URL above `idBytes`.
    func check(channel url: ChannelURL?) throws(ServerError) {
        guard let url, url.rawValue.jsonBytes > idBytes else { return }
        throw Self.tooLong("The channel's URL", idBytes)
    }

    private func check(_ text: String?, _ what: String, _ limit: Int) throws(ServerError) {
        guard let text, text.utf8.count > limit else { return }
        throw Self.tooLong(what, limit)
    }

    /// Returns the refusal of a text that is too long.
    static func tooLong(_ what: String, _ limit: Int) -> ServerError {
        ServerError(.valueLength, "\(what) may have \(limit) bytes at most.")
    }

    /// Refuses a count above a limit.
    func check(count: Int, _ what: String, atMost limit: Int) throws(ServerError) {
        guard count > limit else { return }
        throw Self.tooMany(what, limit)
    }

    private static func tooMany(_ what: String, _ limit: Int) -> ServerError {
        ServerError(.tooManyItems, "There may be \(limit) \(what) at most.")
    }

    /// Refuses more operators than one frame can carry.
    func check(operators count: Int) throws(ServerError) {
        try check(count: count, "operators of a channel", atMost: operators)
    }

    /// The refusal of a channel beyond `createdChannels`.
    var tooManyChannels: ServerError {
        Self.tooMany("channels created by one user", createdChannels)
    }

    /// Refuses metadata with too many entries or too long ones.
    func check(metadata: [String: String]) throws(ServerError) {
        try check(count: metadata.count, "entries of metadata", atMost: entries)
        for (key, value) in metadata {
            try check(name: key, "A key")
            try check(text: value, "A value")
        }
    }

    /// Refuses meta arrays with too many entries or too long ones.
    func check(metaArrays: [MetaArray]) throws(ServerError) {
        guard metaArrays.count <= entries else {
            throw ServerError(
                RoostError.Code(900_027), "A message may have \(entries) meta arrays at most.")
        }
        for array in metaArrays {
            try check(name: array.key, "A key")
            guard array.values.count <= entries else {
                throw ServerError(
                    RoostError.Code(900_028), "A meta array may have \(entries) values at most.")
            }
            for value in array.values { try check(name: value, "A value") }
        }
    }

    /// Refuses a message with a text or a list above its bound.
    func check(_ message: MessageCommand) throws(ServerError) {
        switch message.content {
        case .user(let text), .admin(let text): try check(text: text, "The text")
        case .file(let file):
            try check(text: file.caption, "The text")
            try check(name: file.name, "The file's name")
            try check(name: file.url, "The file's URL")
            try check(name: file.type, "The file's type")
        case .unknown: break
        }
        try check(text: message.data, "The data")
        try check(name: message.customType, "The custom type")
        try check(name: message.requestID?.rawValue, "The request ID")
        try check(metaArrays: message.metaArrays)
        try check(
            count: message.mention.userIDs.count, "users mentioned in a message",
            atMost: min(mentions, users))
    }

    /// Refuses an edit with a text or a list above its bound.
    func check(_ edit: EditCommand) throws(ServerError) {
        try check(text: edit.text, "The text")
        try check(text: edit.mentionTemplate, "The template of mentions")
        try check(text: edit.data, "The data")
        try check(name: edit.customType, "The custom type")
        // The message keeps it.
        try check(name: edit.requestID?.rawValue, "The request ID")
        try check(metaArrays: edit.metaArrays?.arrays ?? [])
        try check(
            count: edit.mentionedUserIDs?.count ?? 0, "users mentioned in a message",
            atMost: min(mentions, users))
    }

    /// Refuses a channel with a text above its bound.
    func check(channel url: ChannelURL?, _ texts: ChannelTexts) throws(ServerError) {
        try check(channel: url)
        try check(name: texts.name, "The name")
        try check(name: texts.coverURL, "The cover's URL")
        try check(text: texts.data, "The data")
        try check(name: texts.customType, "The custom type")
    }
}

/// The texts of a channel in a call; nil leaves a text as it is.
struct ChannelTexts {
    var name: String?
    var coverURL: String?
    var data: String?
    var customType: String?
}
