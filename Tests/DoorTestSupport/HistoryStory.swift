// SPDX-License-Identifier: Apache-2.0

import Roost
package import RoostModel
import RoostTestKit
import Testing

/// A page around the fifth of eight messages.
package struct PageCase: Sendable {
    package var older = 8
    package var newer = 8
    package var isInclusive = false
    package var isReversed = false
    package var kind = MessageFilter.Kind.all
    package var customTypes: [String]?
    package var senders: [String]?
    /// The numbers of the page's messages, in its order.
    let expected: [Int]

    static let all = [
        PageCase(older: 2, newer: 2, expected: [3, 4, 6, 7]),
        PageCase(older: 2, newer: 2, isInclusive: true, expected: [3, 4, 5, 6, 7]),
        PageCase(older: 2, newer: 2, isReversed: true, expected: [7, 6, 4, 3]),
        PageCase(
            older: 2, newer: 2, isInclusive: true, isReversed: true, expected: [7, 6, 5, 4, 3]),
        PageCase(older: 3, newer: 0, expected: [2, 3, 4]),
        PageCase(older: 0, newer: 3, expected: [6, 7, 8]),
        PageCase(kind: .user, expected: [1, 2, 4, 8]),
        PageCase(isInclusive: true, kind: .user, expected: [1, 2, 4, 5, 8]),
        PageCase(isInclusive: true, kind: .file, expected: [3, 6, 7]),
        PageCase(isInclusive: true, kind: .admin, expected: []),
        PageCase(isInclusive: true, customTypes: ["note"], expected: [2, 3, 5]),
        PageCase(customTypes: ["note", "other"], expected: [2, 3, 7]),
        PageCase(senders: ["alice"], expected: [4, 7]),
        PageCase(older: 2, newer: 1, senders: ["bob"], expected: [2, 3, 6]),
        PageCase(senders: ["alice", "bob"], expected: [1, 2, 3, 4, 6, 7, 8]),
        PageCase(
            isReversed: true, kind: .file, customTypes: ["note", ""], senders: ["bob"],
            expected: [6, 3]),
    ]
}

/// An answer of a channel's change log.
package struct ChangePage {
    let updated: [String]
    let deleted: [Int64]
    let hasMore: Bool
    let token: String?

    package init(updated: [String], deleted: [Int64], hasMore: Bool, token: String?) {
        self.updated = updated
        self.deleted = deleted
        self.hasMore = hasMore
        self.token = token
    }
}

// The questions of a door about the history of a channel; both doors answer them alike.
extension AppStory {
    private func write(
        _ text: String, to url: ChannelURL, by user: UserID = "bob", isFile: Bool = false,
        type: String = ""
    ) async throws {
        let content =
            isFile
            ? #""message_type":"FILE","url":"https://files.example/x","file_size":1"#
            : #""message_type":"MESG","message":"\#(text)""#
        try await world.ask(
            "POST", "group_channels/\(url)/messages", #"{\#(content),"custom_type":"\#(type)"}"#,
            as: user)
    }

    /// Expects that a door answers each case with the IDs of its messages.
    ///
    /// `ask` gets the case and the message around which it asks.
    package func checkPages(
        in url: ChannelURL, _ ask: (PageCase, Message) async -> [Int64]?
    ) async throws {
        try await write("1", to: url)
        try await write("2", to: url, type: "note")
        try await write("3", to: url, isFile: true, type: "note")
        try await write("4", to: url, by: "alice")
        try await write("5", to: url, by: "alice", type: "note")
        try await write("6", to: url, isFile: true)
        try await write("7", to: url, by: "alice", isFile: true, type: "other")
        try await write("8", to: url)
        let log = try await world.log(of: url)
        for page in PageCase.all {
            let found = await ask(page, log[4])
            let expected = page.expected.map { log[$0 - 1].messageID?.rawValue ?? 0 }
            #expect(found == expected, "\(page)")
        }
    }

    /// Expects that a door answers the change log by time and by token, page by page.
    package func checkChanges(
        in url: ChannelURL, since: (Int64) async throws -> ChangePage,
        after: (String) async throws -> ChangePage
    ) async throws {
        for number in 1...120 { try await write("\(number)", to: url) }
        let log = try await world.log(of: url)
        let ids = log.compactMap { $0.messageID }
        try await bob.delete(ids[9], in: url)
        try await bob.edit(ids[19], in: url, text: "20!")
        await bob.waitUntilIdle()
        let first = try await since(1)
        #expect(first.hasMore)
        #expect(first.deleted.isEmpty)
        let second = try await after(try #require(first.token))
        #expect(!second.hasMore)
        #expect(second.deleted == [ids[9].rawValue])
        #expect(second.updated.last == "20!")
        let others = (1...120).filter { $0 != 10 && $0 != 20 }.map(String.init)
        #expect(first.updated + second.updated.dropLast() == others)
        // A time selects what has happened since, and not before.
        let late = try await since(log[118].createdAt.milliseconds)
        #expect(late.updated == ["119", "120", "20!"])
        #expect(late.deleted == [ids[9].rawValue])
        // The last token continues with the next change.
        let end = try await after(try #require(second.token))
        #expect(end.updated.isEmpty && end.deleted.isEmpty && !end.hasMore)
        try await bob.edit(ids[29], in: url, text: "30!")
        try await bob.delete(ids[39], in: url)
        await bob.waitUntilIdle()
        let next = try await after(try #require(end.token))
        #expect(next.updated == ["30!"])
        #expect(next.deleted == [ids[39].rawValue])
    }
}
