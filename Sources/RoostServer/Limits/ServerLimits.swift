// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The bounds of everything that a user or the platform names or stores; bytes are those of UTF-8.
///
/// Two kinds stand here. The first kind bounds single texts and lists, and those who run the server may
/// change some of it. The second kind, the weights, follows from what a client reads: `WireLimits`.
/// A weight counts bytes of JSON, escapes included.
package struct ServerLimits: Hashable, Sendable {
    /// A call's body, unless it is a form with a file.
    package var bodyBytes = 4_194_304
    /// A message's text, and the data that apps add to it.
    package var textBytes = 65_536
    /// Names, addresses, types, keys.
    package var nameBytes = 2_048
    /// The ID of a user or the URL of a channel; escapes count, because receipts repeat IDs.
    package var idBytes = 256
    /// Metadata, counters or meta arrays of one thing, and the values of one meta array.
    package var entries = 100
    /// Users whom one call names.
    package var users = RequestFields.listLimit
    package var pins = 100
    /// Different reactions to one message.
    package var reactions = 100
    /// Open sockets of one user.
    package var sessionsPerUser = Int.max
    /// Session keys of one user that count at once; the oldest end beyond.
    ///
    /// Each start of an app takes one.
    package var keysPerUser = 200
    /// Access tokens of one user with an end that count at once; the oldest end beyond.
    package var tokensPerUser = 1_000

    /// Users whom one message mentions; a message carries the name of each.
    package var mentions = 100
    /// Users whom one query names; the answer carries each as a whole.
    package var queriedUsers = 1_000
    /// Members of a group channel; each message goes to each of them.
    package var members = 20_000
    /// Operators of a channel; one frame tells all of them, as users of at most `userBytes`.
    package var operators = 100
    /// Users whom one user blocks; each call about a user reads the list.
    package var blockedUsers = 2_000
    /// Device tokens of one user for one push service; a further one takes the oldest one's place.
    package var devices = 20
    /// Languages that a user prefers.
    package var languages = 20
    /// All settings of a user together, device tokens and quiet hours included.
    package var preferenceBytes = 131_072
    /// Messages of one user that wait to be sent later.
    package var scheduledMessages = 1_000
    /// Sent, failed and canceled scheduled messages of one user; a new message removes the oldest beyond.
    package var finishedScheduledMessages = 1_000
    /// Live channels that one user has created, of both kinds.
    package var createdChannels = 10_000
    /// Polls that one user has created, removed ones included: change logs tell of them.
    package var createdPolls = 10_000
    /// Files that one user has uploaded.
    package var uploadedFiles = 100_000
    /// All files together that one user has uploaded, in bytes: 100 GiB.
    package var uploadedBytes: Int64 = 107_374_182_400
    /// Users who vote in one poll; each vote reads all of them.
    package var voters = 10_000
    /// The bytes of one answer that a server fills with rows.
    ///
    /// The rest of what a client reads is room for the last row's envelope and the fields around the rows.
    package var answerBytes = WireLimits.answerBytes - 16_384
    /// Bytes of text that one call of a search looks at; a call that finds less goes on by its token.
    package var searchBytes = 8_388_608

    package init() {}
}

// MARK: - Weights

extension ServerLimits {
    /// A message as a page shows it, with its sender, its thread or its parent.
    ///
    /// Of `pageMessages` such messages, the anchor's and a thread's parent, all fit into an answer.
    package static let messageBytes = 82_944
    /// Messages that one side of a page may have.
    ///
    /// A short side means the end of history, so a server cannot shorten it for its weight.
    package static let pageMessages = 200
    /// A user as others see one: every message carries its sender.
    package static let userBytes = 4_096
    /// A thread's summary, or what a reply shows of its parent, the parent's sender included.
    package static let relationBytes = 11_264
    /// What stands in a message besides, such as times and the sender's role.
    private static let frameworkBytes = 512
    /// What a message itself brings: its text, data, meta arrays, mentioned users, reactions and poll.
    ///
    /// A text of `textBytes` fits, and 1,536 bytes with it.
    package static let contentBytes =
        messageBytes - userBytes - relationBytes - frameworkBytes
    /// What a reply shows of its parent, without the parent's sender.
    package static let previewBytes = relationBytes - userBytes
    /// A poll; the message that carries it keeps this much free.
    package static let pollBytes = 32_768
    /// A channel's properties, metadata and counters; one frame may tell all metadata twice.
    package static let channelBytes = 262_144
    /// The members in one channel's row of an answer; a list of members shows the rest.
    ///
    /// Ten thousand members of ordinary size fit, and three such rows fit in an answer.
    package static let memberBytes = 4_194_304
    /// The members of which one frame tells; more of them come in several frames.
    package static let frameMemberBytes = WireLimits.frameBytes / 2
}

// MARK: - Texts and lists

extension ServerLimits {
    func check(text: String?, _ what: String) throws(ServerError) {
        try check(text, what, textBytes)
    }

    func check(name: String?, _ what: String) throws(ServerError) {
        try check(name, what, nameBytes)
    }

    func check(user id: UserID) throws(ServerError) {
        guard id.rawValue.jsonBytes <= idBytes else {
            throw ServerError(
                RoostError.Code(400_305), "A user ID may have \(idBytes) bytes at most.")
        }
    }

    func check(channel url: ChannelURL?) throws(ServerError) {
        guard let url, url.rawValue.jsonBytes > idBytes else { return }
        throw Self.tooLong("The channel's URL", idBytes)
    }

    private func check(_ text: String?, _ what: String, _ limit: Int) throws(ServerError) {
        guard let text, text.utf8.count > limit else { return }
        throw Self.tooLong(what, limit)
    }

    static func tooLong(_ what: String, _ limit: Int) -> ServerError {
        ServerError(.valueLength, "\(what) may have \(limit) bytes at most.")
    }

    func check(count: Int, _ what: String, atMost limit: Int) throws(ServerError) {
        guard count > limit else { return }
        throw Self.tooMany(what, limit)
    }

    private static func tooMany(_ what: String, _ limit: Int) -> ServerError {
        ServerError(RoostError.Code(400_203), "There may be \(limit) \(what) at most.")
    }

    /// Refuses more operators than one frame can tell of.
    func check(operators count: Int) throws(ServerError) {
        try check(count: count, "operators of a channel", atMost: operators)
    }

    var tooManyChannels: ServerError {
        Self.tooMany("channels created by one user", createdChannels)
    }

    func check(metadata: [String: String]) throws(ServerError) {
        try check(count: metadata.count, "entries of metadata", atMost: entries)
        for (key, value) in metadata {
            try check(name: key, "A key")
            try check(text: value, "A value")
        }
    }

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

    func check(_ edit: EditCommand) throws(ServerError) {
        try check(text: edit.text, "The text")
        try check(text: edit.data, "The data")
        try check(name: edit.customType, "The custom type")
        try check(metaArrays: edit.metaArrays?.arrays ?? [])
        try check(
            count: edit.mentionedUserIDs?.count ?? 0, "users mentioned in a message",
            atMost: min(mentions, users))
    }

    func check(channel url: ChannelURL?, _ texts: ChannelTexts) throws(ServerError) {
        try check(channel: url)
        try check(name: texts.name, "The name")
        try check(name: texts.coverURL, "The cover's URL")
        try check(text: texts.data, "The data")
        try check(name: texts.customType, "The custom type")
    }
}

/// What people write about a channel; nil is left as it is.
struct ChannelTexts {
    var name: String?
    var coverURL: String?
    var data: String?
    var customType: String?
}
