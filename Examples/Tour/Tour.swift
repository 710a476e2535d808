// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The code of `docs/guide.md` and `docs/features.md`: each function is one of their sections.
@main
struct Tour {
    static func main() async throws {
        let client = try await ChatClient.open(
            Configuration(
                applicationID: "demo", server: "http://127.0.0.1:8080", userID: "alice",
                cache: .folder("cache")))
        try? await client.connect()
        guard let channel = try await lists(client).first else { return }
        // Their streams last as long as the client.
        async let badge: Void = counting(client)
        async let typists: Void = showingTypists(client, channel.url)
        async let bot: Void = answering(client)
        async let screen: Void = following(client, channel.url)
        try await timelines(client, channel.url)
        try await channels(client)
        try await reading(client, channel.url)
        try await searching(client)
        try await files(client, channel.url)
        try await profile(client)
        try await writing(client, channel.url)
        for message in await client.failedMessages(in: channel.url) {
            await deciding(client, message)
        }
        try await changing(client, channel.url)
        try await changingChannels(client, channel.url)
        try await drafting(client, channel.url)
        try await takingAlong(client)
        try await questions(client, channel.url)
        try await explaining(client, channel.url)
        await watching(client)
        await client.close()
        _ = try await (badge, typists, bot, screen)
    }

    static func lists(_ client: ChatClient) async throws -> [GroupChannel] {
        var filter = ChannelFilter()
        filter.isUnread = true
        filter.name = .contains("team")
        let list = try await client.channelList(ChannelListQuery(filter, order: .latestLastMessage))
        while await list.snapshot.hasMore { try await list.loadMore() }
        return await list.snapshot.channels
    }

    static func timelines(_ client: ChatClient, _ channel: ChannelURL) async throws {
        let newest = try await client.timeline(of: channel)
        let pictures = try await client.timeline(
            of: channel, filter: MessageFilter(kind: .file, replyType: .all))
        try await pictures.loadOlder()
        if await newest.snapshot.hasHugeGap { try await newest.jump(to: .distantFuture) }
        if let root = await newest.snapshot.messages.first?.messageID {
            let thread = try await client.timeline(
                of: channel, filter: MessageFilter(parentID: root))
            print(await thread.snapshot.messages.count, "replies so far")
        }
    }

    static func following(_ client: ChatClient, _ channel: ChannelURL) async throws {
        func show(_ messages: [Message]) { print(messages.map(\.text)) }
        let timeline = try await client.timeline(of: channel)
        for await snapshot in await timeline.snapshots() {
            show(snapshot.messages)
        }
    }

    static func followingOne(
        _ client: ChatClient, _ channel: ChannelURL, _ message: Message
    ) async throws {
        var one = ChannelFilter()
        one.urls = [channel]
        one.hidden = .all
        let header = try await client.channelList(ChannelListQuery(one, pageSize: 1))
        for await snapshot in await header.snapshots() {
            guard let found = snapshot.channels.first else { continue }
            print(found.name, found.isFrozen, found.unreadMembers(of: message).count)
        }
    }

    static func refreshing(_ client: ChatClient) async throws {
        try await client.resume()  // If it throws, the files are still closed.
        await client.appMoved(toForeground: false)
        try? await client.connect()  // Without a network the rest closes the files all the same.
        await client.waitUntilIdle(atMost: .seconds(10))
        await client.disconnect()
        await client.suspend()
    }

    static func returning(_ client: ChatClient) async throws {
        try await client.resume()  // With a cache in an app group only.
        await client.appMoved(toForeground: true)
        try? await client.connect()  // Returns at once if the client is connected.
    }

    /// The code of an extension that shows a notification.
    static func announcing(_ client: ChatClient, _ channel: ChannelURL) async throws {
        try? await client.connect()
        let timeline = try await client.timeline(of: channel)
        try? await timeline.reachServer()
        try? await client.markAsDelivered(channel)
        await client.close()
    }

    static func sealing(
        _ keyFromTheKeychain: () throws -> [UInt8]
    ) async throws -> ChatClient {
        var settings = Configuration(
            applicationID: "demo", server: "https://chat.example.org", userID: "alice",
            cache: .folder("chat"))
        settings.protection = try .key(keyFromTheKeychain())
        let client = try await ChatClient.open(settings)
        return client
    }

    static func changingTheKey(
        _ settings: Configuration, from oldKey: [UInt8], to newKey: [UInt8]
    ) async throws -> ChatClient {
        var settings = settings
        settings.protection = try .key(newKey, replacing: oldKey)
        let client = try await ChatClient.open(settings)
        return client
    }

    static func loggingIn(
        with token: String, renewing newToken: @escaping @Sendable () async throws -> String?
    ) -> Configuration {
        var settings = Configuration(
            applicationID: "demo", server: "https://chat.example.org", userID: "alice",
            token: token, cache: .folder("cache"))
        settings.tokenProvider = { try await newToken() }
        return settings
    }

    static func askingToSignIn(_ client: ChatClient, _ showSignIn: () -> Void) async {
        for await state in await client.connectionStates() {
            if case .refused(let error) = state, error.remedy == .signIn { showSignIn() }
        }
    }

    static func signingIn(_ client: ChatClient, with token: String) async throws {
        await client.use(token: token)
        try await client.connect()
    }

    static func sharing(_ group: URL) -> Configuration {
        let settings = Configuration(
            applicationID: "demo", server: "https://chat.example.org", userID: "alice",
            cache: .folder(at: group.appending(path: "chat")))
        return settings
    }

    static func writing(_ client: ChatClient, _ channel: ChannelURL) async throws {
        let text = try await client.send("On disk when this returns", to: channel).requestID
        let picture = FileMessageParams(
            files: [OutgoingFile(.copy(of: "ticket.png"), name: "ticket.png", type: "image/png")])
        let name = try await client.send(picture, to: channel).requestID
        guard let text, let name else { return }  // A sent message always has a request ID.
        for await progress in await client.uploadProgress(of: name) {
            print(progress.sent, "of", progress.total)
        }
        do {
            try await client.outcome(of: text)
        } catch {
            await client.resend(text)
        }
    }

    static func deciding(_ client: ChatClient, _ message: Message) async {
        if case .unsent(let id, .failed(let code)) = message.delivery {
            print(code, message.isResendable ? "may pass" : "edit it first")
            await client.resend(id)  // The first button.
            await client.removeFailed(id, in: message.channelURL)  // The other one.
        }
    }

    static func channels(_ client: ChatClient) async throws {
        let group = try await client.createChannel(
            ChannelCreateParams(memberIDs: ["bob", "cleo"], name: "Saturday"))
        let bob = try await client.createChannel(
            ChannelCreateParams(memberIDs: ["bob"], isDistinct: true))
        print(group.url, bob.members.count)
    }

    static func reading(_ client: ChatClient, _ channel: ChannelURL) async throws {
        let timeline = try await client.timeline(of: channel)
        await client.startTyping(in: channel)  // With every key, if you like.
        await client.endTyping(in: channel)
        let shown = await timeline.snapshot
        if !shown.hasNewer, let last = shown.messages.last(where: { $0.status == .succeeded }) {
            try await client.markAsRead(channel, through: last.createdAt)
        }
        let totals = try await client.unreadTotals()
        print(totals.messages, "unread messages in", totals.channels, "channels")
        print(await client.typingUsers(in: channel).map(\.nickname), "type now")
    }

    static func counting(_ client: ChatClient) async {
        for await totals in await client.unreadTotalStates() {
            print("badge:", totals.messages)
        }
    }

    static func showingTypists(_ client: ChatClient, _ channel: ChannelURL) async {
        for await event in await client.events() {
            guard case .typing(let users, channel) = event else { continue }
            print(users.map(\.nickname), "type")
        }
    }

    static func searching(_ client: ChatClient) async throws {
        var search = MessageSearch("lunch tomorrow")
        while true {
            let page = try await client.search(search)
            for match in page.matches { print(match.message.createdAt.date, match.snippet) }
            for period in page.unseen { print("not searched:", period.channel, period.reason) }
            guard let next = page.next else { break }
            search = next
        }
    }

    static func files(_ client: ChatClient, _ channel: ChannelURL) async throws {
        for message in try await client.cachedMessages(of: channel) {
            guard case .file(let file) = message.content else { continue }
            for try await step in client.download(file) {
                switch step {
                case .progress(let received, _): print(received.bytes, "bytes")
                case .finished(let file): print(file.url?.path ?? "encrypted")
                }
            }
        }
    }

    static func profile(_ client: ChatClient) async throws {
        try await client.updateProfile(ProfileUpdateParams(nickname: "Alice"))
        try await client.updateUserMetadata(["team": "red"], addsMissing: true)
        print(try await client.me.nickname)
        var token: String?
        repeat {
            let page = try await client.users(UserQuery(nicknamePrefix: "bo"), after: token)
            for user in page.elements { print(user.id, user.nickname) }
            token = page.next
        } while token != nil
        try await client.registerPushToken("0f3a", of: .apns)
    }

    static func answering(_ client: ChatClient) async throws {
        do {
            try await client.connect()
        } catch {
            guard error.remedy == .retry else { throw error }  // It goes on trying by itself.
        }
        for try await item in try await client.inbox("pings") {
            if item.message.text == "ping" {
                try await client.markAsRead(item.channel, through: item.message.createdAt)
                try await item.answer("pong")
            }
            try await item.acknowledge()  // On disk on return.
        }
    }

    static func changing(_ client: ChatClient, _ channel: ChannelURL) async throws {
        let message = try await client.send("A slip of the pne", to: channel)
        try await client.edit(message.target, in: channel, MessageEdit(text: "A slip of the pen"))
        try await client.addReaction("smile", to: message.target, in: channel)
        for refusal in await client.refusals(in: channel) { print(refusal) }
    }

    static func changingChannels(_ client: ChatClient, _ channel: ChannelURL) async throws {
        let rename = try await client.update(channel, ChannelUpdateParams(name: "Saturday"))
        try await client.setPushTrigger(.off, of: channel)
        print(try await client.channel(channel).pendingChanges.count, "changes wait")
        try await client.outcome(of: rename)  // When the server has the name.
    }

    static func drafting(_ client: ChatClient, _ channel: ChannelURL) async throws {
        let place = DraftPlace(channel)  // `thread:` names the first message of a thread.
        let ada = Mention(userIDs: ["ada"])
        try await client.saveDraft("Ada, shall we meet at", mentioning: ada, at: place)
        guard let draft = await client.draft(at: place) else { return }
        try await client.send(draft)  // With the mentioned users; the draft is gone then.
    }

    static func takingAlong(_ client: ChatClient) async throws {
        let download = await client.download(DownloadRequest(since: .distantPast))
        for await progress in await download.progressUpdates() {
            print(progress.finishedChannels, "channels,", progress.messages, "messages")
        }
    }

    static func questions(_ client: ChatClient, _ channel: ChannelURL) async throws {
        let newest = try await client.cachedMessages(of: channel, limit: 30)
        let last = newest.last?.position ?? .distantPast
        let older = try await client.cachedMessages(of: channel, before: last, limit: 30)
        let mentions = try await client.cachedMentions()
        print(newest.count + older.count, "messages,", mentions.count, "mentions")
    }

    static func explaining(_ client: ChatClient, _ channel: ChannelURL) async throws {
        for hole in try await client.countedHoles(in: channel) {
            print(hole.reason, hole.from, hole.through, hole.size)
        }
        print(try await client.explain(channel, in: ChannelListQuery()))
        let report = client.journal().text
        print(report)
    }

    static func watching(_ client: ChatClient) async {
        for await health in await client.healthStates() {
            if let next = health.connection.nextAttempt { print("next attempt at", next) }
            if let oldest = health.outbox.oldest, let wait = oldest.wait {
                print(oldest.id, wait.name)
            }
            if let refusal = health.cache.refusal { print("make room:", refusal.message) }
            if health.isSettled { break }
        }
    }

    static func logging(_ client: ChatClient, _ log: (String) -> Void) async {
        for await health in await client.healthStates() {
            log(health.summary(at: Timestamp(Date())))
        }
    }
}
