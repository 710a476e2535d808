// SPDX-License-Identifier: Apache-2.0

import Roost

/// One of the people of the demo: writes, types, reacts, edits, and answers.
struct ChatDemoPerson {
    private let client: ChatClient
    private let scene: ChatDemoScene
    /// The first person has the talk's even lines, the second one the odd ones.
    private let isLeader: Bool

    init(_ client: ChatClient, _ scene: ChatDemoScene, isLeader: Bool) {
        self.client = client
        self.scene = scene
        self.isLeader = isLeader
    }

    /// Lives until the task is canceled.
    func live() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await talk() }
            if isLeader { group.addTask { await answer() } }
        }
    }

    /// Waits as a person does who reads or types; returns early at a cancellation.
    private func pause(_ milliseconds: Int) async {
        try? await Task.sleep(for: .milliseconds(milliseconds))
    }

    /// Says the lines of the talk, one after another, with a different thing after each.
    private func talk() async {
        await pause(isLeader ? 1_500 : 5_500)
        for round in 0... {
            let number = round * 2 + (isLeader ? 0 : 1)
            guard !Task.isCancelled else { return }
            let text = ChatDemoTexts.talk[number % ChatDemoTexts.talk.count]
            let sent = await say(text, in: scene.train)
            await pause(1_500)
            switch number % 5 {
            case 0: await react("🎉", in: scene.train)
            case 1:
                if let sent {
                    _ = try? await client.edit(sent, in: scene.train, text: text + " (really)")
                }
            case 2: await reply("Where do you see that?")
            case 3: if number == 3 { await sendTicket() }
            default: await remark()
            }
            await pause(6_000)
        }
    }

    /// Types for a while, then sends.
    @discardableResult
    private func say(_ text: String, in channel: ChannelURL) async -> MessageID? {
        await client.startTyping(in: channel)
        await pause(900 + text.utf8.count * 25)
        await client.endTyping(in: channel)
        guard let message = try? await client.send(text, to: channel),
            let request = message.requestID
        else { return nil }
        try? await client.outcome(of: request)
        let newest = try? await client.cachedMessages(of: channel, limit: 5)
        return newest?.first { $0.requestID == request }?.messageID
    }

    /// Reacts to another person's newest message.
    private func react(_ key: String, in channel: ChannelURL) async {
        guard let message = await newest(in: channel, ofOthers: true) else { return }
        _ = try? await client.addReaction(key, to: .delivered(message), in: channel)
    }

    private func reply(_ text: String) async {
        guard let message = await newest(in: scene.train, ofOthers: true) else { return }
        let params = UserMessageParams(text: text, parentID: message)
        _ = try? await client.send(params, to: scene.train)
    }

    private func newest(in channel: ChannelURL, ofOthers: Bool) async -> MessageID? {
        let me = client.configuration.userID
        let messages = try? await client.cachedMessages(of: channel, limit: 20)
        return messages?.first { message in
            ofOthers == (message.sender?.user.id != me) && message.parentID == nil
        }?.messageID
    }

    private func sendTicket() async {
        let file = OutgoingFile(
            .bytes(Array(ChatDemoTexts.ticket.utf8)), name: "ticket.txt", type: "text/plain")
        _ = try? await client.send(
            FileMessageParams(files: [file], caption: "My ticket, if you want to look."),
            to: scene.train)
    }

    /// Writes in another channel, so that it counts as unread, and takes the words back.
    private func remark() async {
        guard let sent = await say("Oh, the wrong book.", in: scene.library) else { return }
        await pause(2_500)
        _ = try? await client.delete(sent, in: scene.library)
        await say("I found a ghost story. Page 12.", in: scene.library)
    }

    /// Answers the reader: a reaction, a read mark, some words.
    private func answer() async {
        var count = 0
        let start = WallClock.now
        for await event in await client.events() {
            guard case .messageReceived(let message) = event,
                message.sender?.user.id == ChatDemo.me, let id = message.messageID,
                // The imported history is no talk.
                message.createdAt > start
            else { continue }
            let channel = message.channelURL
            _ = try? await client.markAsRead(channel, through: message.createdAt)
            await pause(600)
            if count % 2 == 0 {
                _ = try? await client.addReaction("👍", to: .delivered(id), in: channel)
            }
            await say(ChatDemoTexts.answers[count % ChatDemoTexts.answers.count], in: channel)
            count += 1
        }
    }
}
