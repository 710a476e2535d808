// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// How large each thing may be that somebody else names; bytes are those of UTF-8.
package struct ServerLimits: Hashable, Sendable {
    /// A call's body, unless it is a form with a file.
    package var bodyBytes = 4_194_304
    /// A message's text, and what apps add to it.
    package var textBytes = 65_536
    /// Names, addresses, types, keys.
    package var nameBytes = 2_048
    /// What identifies a user or a channel.
    package var idBytes = 256
    /// Metadata, counters or meta arrays of one thing, and the values of one meta array.
    package var entries = 100
    /// Users whom one call or one message names.
    package var users = 10_000
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

    package init() {}
}

extension ServerLimits {
    func check(text: String?, _ what: String) throws(ServerError) {
        try check(text, what, textBytes)
    }

    func check(name: String?, _ what: String) throws(ServerError) {
        try check(name, what, nameBytes)
    }

    func check(user id: UserID) throws(ServerError) {
        guard id.rawValue.utf8.count <= idBytes else {
            throw ServerError(
                RoostError.Code(400_305), "A user ID may have \(idBytes) bytes at most.")
        }
    }

    func check(channel url: ChannelURL?) throws(ServerError) {
        try check(url?.rawValue, "The channel's URL", idBytes)
    }

    private func check(_ text: String?, _ what: String, _ limit: Int) throws(ServerError) {
        guard let text, text.utf8.count > limit else { return }
        throw ServerError(.valueLength, "\(what) may have \(limit) bytes at most.")
    }

    func check(count: Int, _ what: String, atMost limit: Int) throws(ServerError) {
        guard count > limit else { return }
        throw ServerError(RoostError.Code(400_203), "There may be \(limit) \(what) at most.")
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
        case .unknown: break
        }
        try check(text: message.data, "The data")
        try check(name: message.customType, "The custom type")
        try check(name: message.requestID?.rawValue, "The request ID")
        try check(metaArrays: message.metaArrays)
        try check(
            count: message.mention.userIDs.count, "users mentioned in a message", atMost: users)
    }

    func check(_ edit: EditCommand) throws(ServerError) {
        try check(text: edit.text, "The text")
        try check(text: edit.data, "The data")
        try check(name: edit.customType, "The custom type")
        try check(metaArrays: edit.metaArrays?.arrays ?? [])
        try check(
            count: edit.mentionedUserIDs?.count ?? 0, "users mentioned in a message",
            atMost: users)
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
