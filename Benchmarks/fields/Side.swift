// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// One operation of a side; `check` are the bytes of its value, which both sides must have in common.
package struct Operation {
    package let name: String
    package let check: [UInt8]
    package let body: () -> Int
}

package func operations() -> [Operation] {
    let user = User(id: "alice", nickname: "Alice", profileURL: "https://example.com/a.png")
    var told = user
    told.details.isOnline = true
    var message = Message(
        delivery: .delivered(MessageID(123_456_789), RequestID("req-1")),
        channelURL: "sendbird_group_channel_123456",
        createdAt: Timestamp(milliseconds: 1_600_000_000_000),
        sender: Sender(user: user, role: .operator),
        content: .user(text: "Shall we meet at the old tree tomorrow morning?"),
        customType: "plain")
    message.mention = Mention(userIDs: ["bob"])
    var rich = message
    var details = MessageDetails()
    details.reactions = [
        Reaction(
            key: "like", userIDs: ["bob"], updatedAt: Timestamp(milliseconds: 1_600_000_000_001))
    ]
    var thread = ThreadInfo(replyCount: 3)
    thread.mostReplies = [user]
    details.threadInfo = thread
    var link = LinkPreview()
    (link.title, link.url, link.summary) = ("A page", "https://example.com", "About a page")
    details.linkPreview = link
    rich.details = details
    var channel = GroupChannel(
        url: "sendbird_group_channel_123456", name: "Friends of the roost",
        coverURL: "https://example.com/cover.png", customType: "private",
        createdAt: Timestamp(milliseconds: 1_600_000_000_000))
    channel.createdBy = user
    (channel.memberCount, channel.joinedMemberCount, channel.unreadMessageCount) = (10, 9, 3)
    channel.myLastRead = Timestamp(milliseconds: 1_600_000_100_000)
    channel.invitedAt = Timestamp(milliseconds: 1_600_000_100_000)
    channel.joinedAt = Timestamp(milliseconds: 1_600_000_100_000)
    channel.hasBot = true
    channel.metadata = ["a": "b"]
    var full = channel
    full.lastMessage = message
    full.members = (0..<10).map {
        Member(user: User(id: UserID("user\($0)"), nickname: "Name \($0)"))
    }
    return channels([("channel", channel), ("channel with 10 members", full)])
        + messages([("message", message), ("message with details", rich)])
        + users([("user", user), ("user with details", told)])
}

private func wire(
    _ name: String, _ write: @escaping (inout JSONWriter) -> Void,
    _ read: @escaping (inout JSONReader) throws(WireError) -> Int
) -> [Operation] {
    var writer = JSONWriter()
    write(&writer)
    let bytes = writer.bytes
    return [
        Operation(name: "\(name): decode JSON", check: bytes) {
            do throws(WireError) {
                var reader = try JSONReader(bytes: bytes)
                return try read(&reader)
            } catch { fatalError("\(error)") }
        },
        Operation(name: "\(name): encode JSON", check: bytes) {
            var writer = JSONWriter()
            write(&writer)
            return writer.bytes.count
        },
    ]
}

private func stored(
    _ name: String, _ write: @escaping (inout [UInt8]) -> Void,
    _ read: @escaping ([UInt8]) throws(PayloadError) -> Int
) -> [Operation] {
    var bytes: [UInt8] = []
    write(&bytes)
    return [
        Operation(name: "\(name): decode payload", check: bytes) {
            do throws(PayloadError) { return try read(bytes) } catch { fatalError("\(error)") }
        },
        Operation(name: "\(name): encode payload", check: bytes) {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(1_024)
            write(&bytes)
            return bytes.count
        },
    ]
}

private func channels(_ samples: [(String, GroupChannel)]) -> [Operation] {
    samples.flatMap { name, channel in
        wire(name) {
            $0.groupChannel(channel)
        } _: { reader throws(WireError) in
            try reader.readGroupChannel().memberCount
        }
            + stored(name) {
                ChannelPayload.write(channel, to: &$0) { _ in 7 }
            } _: { bytes throws(PayloadError) in
                var read = GroupChannel(url: channel.url)
                let user = channel.createdBy ?? User(id: "")
                try ChannelPayload.read(bytes.span, into: &read) { _ in user }
                return read.memberCount
            }
    }
}

private func messages(_ samples: [(String, Message)]) -> [Operation] {
    samples.flatMap { name, message in
        wire(name) {
            $0.message(message)
        } _: { reader throws(WireError) in
            Int(try reader.readMessage().createdAt.milliseconds)
        }
            + stored(name) {
                MessagePayload.write(message, MessageRows(sender: 300, customType: 2), to: &$0) {
                    _ in 7
                }
            } _: { bytes throws(PayloadError) in
                let user = message.sender?.user ?? User(id: "")
                return Int(
                    try MessagePayload.read(
                        bytes.span, id: MessageID(123_456_789), channelURL: message.channelURL,
                        createdAt: message.createdAt
                    ) { _ in
                        user
                    } word: { _ in
                        "plain"
                    }.createdAt.milliseconds)
            }
    }
}

private func users(_ samples: [(String, User)]) -> [Operation] {
    samples.flatMap { name, user in
        wire(name) {
            $0.user(user)
        } _: { reader throws(WireError) in
            try reader.readUser().nickname.utf8.count
        }
            + stored(name) {
                UserPayload.write(user, to: &$0)
            } _: { bytes throws(PayloadError) in
                try UserPayload.read(bytes.span, id: user.id).nickname.utf8.count
            }
    }
}
