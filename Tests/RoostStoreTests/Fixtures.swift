// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSealing
import RoostStore

/// Short names for the values in the store's tests.
enum Fixture {
    static let owner = StoreOwner(application: "app", user: "anna")
    static let channel: ChannelURL = "channel"
    /// Whether stores are sealed: with `ROOST_SEALED` set, every test of the store runs on a sealed
    /// one.
    static let isSealed = ProcessInfo.processInfo.environment["ROOST_SEALED"] != nil
    static let options: Store.Options = {
        var options = Store.Options()
        if isSealed { options.protection = .sealed(MasterKeys(key(7))) }
        return options
    }()

    /// The options for megabytes of text, of which the index of words takes most of the time.
    static let withoutIndex: Store.Options = {
        var options = Fixture.options
        options.isSearchable = false
        return options
    }()

    static func key(_ byte: UInt8) -> MasterKey {
        guard let key = try? MasterKey([UInt8](repeating: byte, count: 32)) else {
            preconditionFailure("32 bytes are a key.")
        }
        return key
    }

    static func place(_ moment: Int64, _ id: Int64? = nil) -> Position {
        Position(
            createdAt: Timestamp(milliseconds: moment), messageID: MessageID(id ?? moment))
    }

    /// A message whose time is its ID by default.
    static func message(
        _ id: Int64, at moment: Int64? = nil, in channel: ChannelURL = channel,
        text: String? = nil, from sender: User? = User(id: "anna", nickname: "Anna"),
        request: RequestID? = nil, updatedAt: Int64? = nil
    ) -> Message {
        Message(
            delivery: .delivered(MessageID(id), request), channelURL: channel,
            createdAt: Timestamp(milliseconds: moment ?? id),
            updatedAt: updatedAt.map { Timestamp(milliseconds: $0) },
            sender: sender.map { Sender(user: $0) }, content: .user(text: text ?? "text \(id)"))
    }

    static func range(_ lower: Int64, _ upper: Int64, after: MessageID? = nil) -> CoveredRange {
        CoveredRange(lower: place(lower), upper: place(upper), predecessor: after)
    }

    /// A page of messages with the statement that it is complete.
    static func page(_ ids: ClosedRange<Int64>, in channel: ChannelURL = channel) -> Mutation {
        .messages(
            channel, ids.map { message($0, in: channel) },
            covering: range(ids.lowerBound, ids.upperBound))
    }

    static func group(
        _ url: ChannelURL, createdAt: Int64 = 1, last: Message? = nil, members: [User] = [],
        name: String = ""
    ) -> GroupChannel {
        GroupChannel(
            url: url, name: name, createdAt: Timestamp(milliseconds: createdAt),
            members: members.map { Member(user: $0) }, memberCount: members.count,
            lastMessage: last)
    }
}

extension StoreReader {
    /// All cached messages of the newest range, oldest first.
    func newest(
        in channel: ChannelURL = Fixture.channel, limit: Int = 1_000
    ) async throws -> [Message] {
        try await window(
            .around(.distantFuture, in: channel, olderCount: limit, newerCount: 0)
        ).messages
    }
}

extension Store {
    var reader: StoreReader { readers[0] }

    /// Opens a store in memory or in a folder, for the owner of the fixtures.
    static func test(_ location: StoreLocation = .memory) async throws -> Store {
        try await Store.open(location, owner: Fixture.owner, Fixture.options)
    }
}

extension Commit {
    /// The changes of one channel's messages.
    func messages(in channel: ChannelURL = Fixture.channel) -> MessagesChange? {
        changes.lazy.compactMap { change in
            if case .messages(let change) = change, change.channel == channel {
                change
            } else {
                nil
            }
        }.first
    }

    var channels: ChannelsChange? {
        changes.lazy.compactMap { if case .channels(let change) = $0 { change } else { nil } }.first
    }

    var users: [Update<User>] {
        changes.flatMap { change in
            if case .users(let updates) = change { return updates }
            return []
        }
    }
}

extension ChannelFilter {
    /// Only channels with a message.
    static var filled: ChannelFilter {
        var filter = ChannelFilter()
        filter.includesEmpty = false
        return filter
    }
}
