// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

@testable import RoostChat

/// Values of a small chat: Ada reads, Bo and Cleo write.
enum Sample {
    static let train: ChannelURL = "train"
    static let library: ChannelURL = "library"
    static let ada = User(id: "ada", nickname: "Ada")
    static let bo = User(id: "bo", nickname: "Bo")
    static let cleo = User(id: "cleo", nickname: "Cleo")

    /// 27 November 2026, 10:00 in UTC.
    static let start = Timestamp(milliseconds: 1_795_773_600_000)

    static func minute(_ minutes: Int64) -> Timestamp {
        Timestamp(milliseconds: start.milliseconds + minutes * 60_000)
    }

    static func message(
        _ id: Int64, _ text: String, by user: User = bo, at minutes: Int64? = nil,
        in channel: ChannelURL = train
    ) -> Message {
        Message(
            delivery: .delivered(MessageID(id), nil), channelURL: channel,
            createdAt: minute(minutes ?? id), sender: Sender(user: user),
            content: .user(text: text))
    }

    static func unsent(_ name: String, _ text: String, _ state: UnsentState = .pending) -> Message {
        Message(
            delivery: .unsent(RequestID(name), state), channelURL: train, createdAt: minute(50),
            sender: Sender(user: ada), content: .user(text: text))
    }

    static func channel(
        _ url: ChannelURL, _ name: String, unread: Int = 0, last: Message? = nil
    ) -> GroupChannel {
        GroupChannel(
            url: url, name: name, createdAt: minute(-60),
            members: [ada, bo, cleo].map { Member(user: $0) }, memberCount: 3,
            joinedMemberCount: 3, unreadMessageCount: unread, lastMessage: last)
    }

    static let channels = [
        channel(train, "Night train", last: message(3, "Just got on")),
        channel(library, "Library", unread: 2, last: message(9, "Page 12", by: cleo, in: library)),
    ]

    static let talk = [
        message(1, "Are you on the train?", by: ada), message(2, "Nearly"),
        message(3, "Just got on"),
    ]

    /// A chat with an open channel, connected, in a terminal of some size.
    static func chat(
        rows: Int = 14, columns: Int = 64, messages: [Message] = talk,
        channels: [GroupChannel] = channels
    ) -> ChatState {
        var state = ChatState(
            me: ada.id, size: GridSize(rows: rows, columns: columns),
            timeZone: TimeZone(secondsFromGMT: 0) ?? .current)
        _ = state.receive(.tick(minute(20)))
        var health = Health()
        health.connection.state = .connected
        health.catchUp.channelList = .current
        _ = state.receive(.health(health))
        _ = state.receive(.channels(channels, hasMore: false))
        _ = state.receive(.messages(train, ChatInput.Window(messages)))
        _ = state.receive(.holes(train, []))
        return state
    }

    /// The screen of a state as text.
    static func screen(_ state: ChatState) -> String { ChatScreen.draw(state).text }
}

extension ChatState {
    /// Types a text, character by character.
    @discardableResult
    mutating func type(_ text: String) -> [ChatEffect] {
        text.unicodeScalars.flatMap { receive(.key(.character($0))) }
    }

    /// Presses keys, and returns the effects of all of them.
    @discardableResult
    mutating func press(_ keys: Key...) -> [ChatEffect] { keys.flatMap { receive(.key($0)) } }
}
