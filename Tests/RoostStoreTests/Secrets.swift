// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostStore
import StoreTestSupport
import Testing

/// Texts that no file of a sealed store may contain: one distinctive word of every kind.
enum Secrets {
    static let owner = StoreOwner(application: "Application-Kestrel", user: "Owner-Wagtail")
    static let channel: ChannelURL = "channel-url-Plover"
    static let otherChannel: ChannelURL = "channel-url-Dotterel"
    static let sender = User(
        id: "Sender-Bittern", nickname: "Nick-Dunlin",
        profileURL: "https://files.example/Picture-Sanderling.png",
        metadata: ["town": "Town-Whimbrel"])
    static let lastText = "Last-Text-Godwit"
    static let requestID: RequestID = "Request-Turnstone"
    static let unsent = OutboxContent.userMessage(
        UserMessageParams(text: "Unsent-Words-Curlew", customType: "Unsent-Type-Knot"))

    /// All texts that must not be found.
    static let texts = [
        "Application-Kestrel", "Owner-Wagtail", "channel-url-Plover", "channel-url-Dotterel",
        "Sender-Bittern", "Nick-Dunlin", "Picture-Sanderling", "Town-Whimbrel", "Last-Text-Godwit",
        "Request-Turnstone", "Unsent-Words-Curlew", "Unsent-Type-Knot", "Text-Lapwing",
        "File-Avocet.pdf", "Channel-Name-Smew", "Custom-Type-Garganey", "Token-Pochard",
        "Edited-Text-Ruff", "Unsent-Request-Stint", "Message-Data-Wigeon",
        "https://files.example",
    ]

    static var messages: [Message] {
        (1...40).map { (id: Int64) in
            var message = Fixture.message(
                id, in: channel, text: "Text-Lapwing \(id)", from: sender)
            message.customType = "Custom-Type-Garganey"
            message.data = "Message-Data-Wigeon"
            if id == 7 {
                message.content = .user(text: "See https://files.example/File-Avocet.pdf")
            }
            if id == 9 {
                message = Fixture.message(
                    id, in: channel, text: "Text-Lapwing mine", from: User(id: "Owner-Wagtail"),
                    request: requestID)
            }
            return message
        }
    }

    static var page: Mutation {
        .messages(channel, messages, covering: Fixture.range(1, 40))
    }

    static var group: GroupChannel {
        var group = Fixture.group(
            channel, last: Fixture.message(40, in: channel, text: lastText, from: sender),
            members: [sender, User(id: "Owner-Wagtail")], name: "Channel-Name-Smew")
        group.customType = "Custom-Type-Garganey"
        return group
    }

    static var filter: MessageFilter {
        MessageFilter(customTypes: ["Custom-Type-Garganey"], senderIDs: ["Sender-Bittern"])
    }

    /// Searches for one of the words.
    static func search(_ store: Store) async throws -> SearchAnswer {
        try await store.reader.search(SearchQuestion("lapwing", limit: 100)).value
    }

    /// Writes one object of every kind.
    static func fill(_ store: Store) async throws {
        try await store.writer.commit([
            .channels([group, Fixture.group(otherChannel, createdAt: 2)]), page,
            .messages(
                otherChannel, [Fixture.message(50, in: otherChannel, text: "Text-Lapwing")],
                covering: Fixture.range(50, 50), under: filter),
            .cursor(.channelChanges, .token("Token-Pochard")),
            .cursor(.messageChanges(channel), .token("Token-Pochard")),
        ])
        _ = try await store.outbox.append(
            "Unsent-Request-Stint", to: channel, createdAt: Timestamp(milliseconds: 1),
            content: unsent)
    }

    /// Edits, deletes, forgets and fills again.
    static func change(_ store: Store) async throws {
        try await store.writer.commit([
            .edited(
                Fixture.message(
                    3, in: channel, text: "Edited-Text-Ruff", from: sender, updatedAt: 100)),
            .deleted(channel, [4, 5]),
        ])
        try await store.writer.commit([.clearMessages(channel), .removeChannel(otherChannel)])
        try await store.writer.compact()
        try await store.writer.commit([page])
        _ = try await store.writer.erase(channel)
        try await store.writer.commit([page])
    }

    /// Reads all objects back.
    static func expectAll(in store: Store) async throws {
        let reader = store.reader
        let found = try await reader.newest(in: channel)
        #expect(found.count == messages.count)
        #expect(found.first?.content == .user(text: "Text-Lapwing 1"))
        #expect(found.first?.customType == "Custom-Type-Garganey")
        #expect(found.first?.sender?.user == sender)
        #expect(try await reader.message(requestID).value?.messageID == 9)
        #expect(try await reader.message(MessageID(2)).value?.channelURL == channel)
        #expect(try await reader.channel(channel).value?.name == "Channel-Name-Smew")
        #expect(
            try await reader.channels(order: .latestLastMessage, limit: 10).value.first?.url
                == channel)
        #expect(try await reader.user("Sender-Bittern").value == sender)
        #expect(try await reader.cursor(.channelChanges).value == .token("Token-Pochard"))
        #expect(
            try await reader.cursor(.messageChanges(channel)).value == .token("Token-Pochard"))
        let typed = MessageQuery(in: channel, filter: filter, limit: 100)
        #expect(try await reader.messages(typed).value.count == messages.count - 1)
        let items = try await store.outbox.items()
        #expect(items.items.map(\.content) == [unsent])
        #expect(items.items.map(\.requestID) == ["Unsent-Request-Stint"])
        #expect(items.items.map(\.channel) == [channel])
    }

    /// Returns the texts that some files contain, in UTF-8, UTF-16 or base64.
    static func found(in files: [(name: String, bytes: [UInt8])]) -> [String] {
        var found: [String] = []
        for file in files {
            let data = Data(file.bytes)
            for text in texts {
                if let word = indexed(text), data.range(of: word) != nil {
                    found.append("\(text) as a word in \(file.name)")
                }
                for (form, bytes) in forms(of: text) where data.range(of: bytes) != nil {
                    found.append("\(text) as \(form) in \(file.name)")
                }
            }
        }
        return found
    }

    static func expectNone(in files: [(name: String, bytes: [UInt8])]) {
        #expect(!files.isEmpty)
        #expect(found(in: files) == [])
    }

    /// A word as an index has it: in small letters, without the prefix it shares with the previous
    /// word.
    ///
    /// Nil for a word so short that it may occur by chance.
    private static func indexed(_ text: String) -> Data? {
        let word = text.split(separator: ".")[0].split(separator: "-").last ?? ""
        return word.utf8.count < 6 ? nil : Data(word.lowercased().utf8.dropFirst())
    }

    private static func forms(of text: String) -> [(String, Data)] {
        let utf8 = Array(text.utf8)
        let wide: [UInt8] = utf8.reduce(into: []) { wide, byte in wide += [byte, 0] }
        // Base64 shows a text in one of three ways, by the offset of its first byte.
        let encoded = (0..<3).map { shift -> (String, Data) in
            let start = (3 - shift) % 3
            let whole = Data(utf8.dropFirst(start).prefix((utf8.count - start) / 3 * 3))
            return ("base64", Data(whole.base64EncodedString().utf8))
        }
        return [("UTF-8", Data(utf8)), ("UTF-16", Data(wide))] + encoded
    }
}
