// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCore
import RoostExecutors
import RoostStore
import RoostTestSupport
import RoostTransport
import Testing

/// An app's calls on its main actor never block it, neither for the disk nor for the network.
@MainActor
struct MainActorTests {
    /// A server that accepts a login and then is silent until the gate is open.
    private struct HeldNetwork: HTTPTransport, SocketTransport {
        /// The address of the only file, which is delivered at once.
        static let file = "https://held.test/file"

        let gate: Gate
        /// Whether a look-up of a channel fails at once, so that its timeline opens.
        let failsLookUps = Guarded(false)

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            if request.url == Self.file { return HTTPResponse(status: 200, body: [1, 2, 3]) }
            let isLookUp =
                request.url.contains("group_channels/c?")
                || request.url.hasSuffix("group_channels/c")
            if isLookUp, failsLookUps.withLock({ $0 }) {
                throw TransportError(.lost, "The look-up is lost.")
            }
            await gate.wait()
            throw TransportError(.lost, "The held answer never comes.")
        }

        func upload(
            _ request: HTTPRequest, _ body: HTTPBody
        ) async throws(TransportError) -> HTTPResponse {
            try await send(request)
        }

        func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
            HeldSocket(gate: gate)
        }
    }

    /// A clock that stands still until the gate is open, so that no time limit ends a call before.
    private struct HeldClock: WorldClock {
        let gate: Gate
        let clock: any WorldClock

        func sleep(for duration: Duration) async throws(CancellationError) {
            await gate.wait()
            try await clock.sleep(for: duration)
        }
    }

    private actor HeldSocket: Socket {
        let gate: Gate
        private var hasLoggedIn = false

        init(gate: Gate) { self.gate = gate }

        func send(_ text: String) async throws(TransportError) { await gate.wait() }

        func receive() async throws(TransportError) -> String? {
            guard hasLoggedIn else {
                hasLoggedIn = true
                return #"LOGI{"user_id":"alice","nickname":"","profile_url":"","key":"k","#
                    + #""login_ts":1700000000000,"ping_interval":600,"pong_timeout":600}"#
            }
            await gate.wait()
            return nil
        }

        func close() async {}
    }

    /// The objects that a call may need.
    @MainActor
    private struct Stage {
        let client: ChatClient
        let timeline: Timeline
        let list: ChannelList
        let download: HistoryDownload
        let messages: TimelineModel
        let channels: ChannelListModel
        let file: FileDownload
        let downloaded: DownloadedFile
        let inbox: Inbox
        let item: InboxItem
        let url: ChannelURL = "c"
        /// A place for a copy of the file.
        let place: URL
    }

    private typealias Call = @MainActor (Stage) async throws -> Void

    /// Stores a message of Bob's in another channel, as an earlier run of the app has left it.
    private static func fill(_ folder: TemporaryFolder) async throws {
        let store = try await Store.open(
            .folder(folder.path), owner: StoreOwner(application: "app", user: "alice"))
        let message = Message(
            delivery: .delivered(MessageID(1), nil), channelURL: "b",
            createdAt: Timestamp(milliseconds: 1_600_000_000_000),
            sender: Sender(user: User(id: "bob")), content: .user(text: "hello"))
        let range = CoveredRange(lower: .distantPast, upper: try #require(message.position))
        try await store.writer.commit([
            .channels([GroupChannel(url: "b", lastMessage: message)]),
            .messages("b", [message], covering: range),
        ])
        await store.close()
    }

    /// Opens a connected client, and all that a call may need.
    private static func stage(
        on network: HeldNetwork, in folder: TemporaryFolder
    ) async throws -> Stage {
        try await fill(folder)
        var world = World.live()
        world.http = network
        world.sockets = network
        world.clock = HeldClock(gate: network.gate, clock: world.clock)
        let client = try await ChatClient.open(
            Configuration(
                applicationID: "app", server: "https://held.test", userID: "alice",
                cache: .folder(folder.path)), world: world)
        try await client.connect()
        network.failsLookUps.withLock { $0 = true }
        let timeline = try await client.timeline(of: "c")
        network.failsLookUps.withLock { $0 = false }
        let file = client.download(fileAt: HeldNetwork.file)
        let inbox = try await client.inbox("answers", from: .beginning)
        // The channel's log of changes has not begun, so the message needs no answer of the server.
        var items = inbox.makeAsyncIterator()
        let item = try await items.next()
        return Stage(
            client: client, timeline: timeline, list: try await client.channelList(),
            download: await client.download(), messages: TimelineModel(client, channel: "c"),
            channels: ChannelListModel(client), file: file, downloaded: try await file.file(),
            inbox: inbox, item: try #require(item),
            place: URL(fileURLWithPath: folder.file("copy")))
    }

    /// Calls that need the disk or the network before they return.
    private static let channelCalls: [Call] = [
        { _ = try await $0.client.createChannel(ChannelCreateParams(memberIDs: ["bob"])) },
        { _ = try await $0.client.channel($0.url) },
        { _ = try await $0.client.join($0.url) },
        { try await $0.client.leave($0.url) },
        { try await $0.client.queue(.unhide, in: $0.url) },
        { try await $0.client.saveDraft("d", at: DraftPlace($0.url)) },
        { try await $0.client.removeDraft(at: DraftPlace($0.url)) },
        { try await $0.client.invite(["bob"], to: $0.url) },
        { _ = try await $0.client.acceptInvitation(to: $0.url) },
        { try await $0.client.declineInvitation(to: $0.url) },
        { try await $0.client.update($0.url, ChannelUpdateParams(name: "n")) },
        { try await $0.client.deleteChannel($0.url) },
        { try await $0.client.setFrozen(true, $0.url) },
        { try await $0.client.hide($0.url) },
        { try await $0.client.hideNow($0.url, hidesPrevious: false) },
        { try await $0.client.unhide($0.url) },
        { try await $0.client.resetHistory(of: $0.url) },
        { try await $0.client.addOperators(["bob"], to: $0.url) },
        { try await $0.client.removeOperators(["bob"], from: $0.url) },
        { try await $0.client.removeAllOperators(from: $0.url) },
        { _ = try await $0.client.operators(of: $0.url) },
        { try await $0.client.mute("bob", in: $0.url) },
        { try await $0.client.unmute("bob", in: $0.url) },
        { _ = try await $0.client.mutedUsers(of: $0.url) },
        { try await $0.client.ban("bob", from: $0.url) },
        { try await $0.client.unban("bob", from: $0.url) },
        { _ = try await $0.client.bannedUsers(of: $0.url) },
        { try await $0.client.setCountPreference(.off, of: $0.url) },
        { try await $0.client.setPushTrigger(.off, of: $0.url) },
        { _ = try await $0.client.metadata(of: $0.url) },
        { try await $0.client.createMetadata(["k": "v"], of: $0.url) },
        { try await $0.client.updateMetadata(["k": "v"], of: $0.url) },
        { try await $0.client.deleteMetadata(of: $0.url) },
        { _ = try await $0.client.counters(of: $0.url) },
        { try await $0.client.createCounters(["k": 1], of: $0.url) },
        { try await $0.client.changeCounters(["k": 1], of: $0.url, .set) },
        { try await $0.client.deleteCounters(of: $0.url) },
        { _ = try await $0.client.members(of: $0.url) },
        { _ = try await $0.client.publicChannels() },
        { try await $0.client.block("bob") },
        { try await $0.client.unblock("bob") },
        { _ = try await $0.client.blockedUsers() },
        { try await $0.client.markAsReadNow($0.url) },
        { try await $0.client.markAsRead($0.url, through: Timestamp(milliseconds: 1)) },
        { try await $0.client.markAllAsRead() },
        { try await $0.client.markAsDelivered($0.url) },
        { _ = try await $0.client.unreadTotals() },
        { _ = try await $0.client.fetchUnreadTotals() },
    ]

    private static let userCalls: [Call] = [
        { _ = try await $0.client.updateProfile(ProfileUpdateParams(nickname: "n")) },
        { _ = try await $0.client.uploadPicture([1]) },
        { try await $0.client.createUserMetadata(["k": "v"]) },
        { try await $0.client.updateUserMetadata(["k": "v"]) },
        { try await $0.client.deleteUserMetadata() },
        { _ = try await $0.client.acceptsInvitations() },
        { try await $0.client.setAcceptsInvitations(true) },
        { _ = try await $0.client.channelCount() },
        { _ = try await $0.client.users() },
        { try await $0.client.report(.user("bob", in: nil), category: .spam) },
        { _ = try await $0.client.muteInfo(in: $0.url) },
        { try await $0.client.registerPushToken("t", of: .apns) },
        { try await $0.client.unregisterPushToken("t", of: .apns) },
        { try await $0.client.unregisterAllPushTokens() },
        { _ = try await $0.client.pushTokens(of: .apns) },
        { _ = try await $0.client.pushPreferences() },
        { _ = try await $0.client.pushTemplate() },
        { try await $0.client.setPushTemplate("default") },
        { try await $0.client.update(PushPreferencesChange(trigger: .off)) },
    ]

    private static let openChannelCalls: [Call] = [
        { _ = try await $0.client.createOpenChannel() },
        { _ = try await $0.client.openChannel($0.url) },
        { _ = try await $0.client.openChannels() },
        { try await $0.client.updateOpenChannel($0.url, OpenChannelUpdateParams(name: "n")) },
        { try await $0.client.deleteOpenChannel($0.url) },
        { try await $0.client.enter($0.url) },
        { try await $0.client.exit($0.url) },
        { _ = try await $0.client.participants(ofOpenChannel: $0.url) },
        { _ = try await $0.client.fetchMessages(ofOpenChannel: $0.url, around: .distantFuture) },
        { _ = try await $0.client.fetchMessages(ofOpenChannel: $0.url, around: 1) },
        { _ = try await $0.client.muteInfo(inOpenChannel: $0.url) },
        { _ = try await $0.client.fetchMessage(1, inOpenChannel: $0.url) },
        { try await $0.client.sendNow(UserMessageParams(text: "t"), toOpenChannel: $0.url) },
        { try await $0.client.editNow(1, inOpenChannel: $0.url, MessageEdit(text: "t")) },
        { try await $0.client.deleteNow(1, inOpenChannel: $0.url) },
        { try await $0.client.setFrozen(true, openChannel: $0.url) },
        { try await $0.client.addOperators(["bob"], toOpenChannel: $0.url) },
        { try await $0.client.removeOperators(["bob"], fromOpenChannel: $0.url) },
        { try await $0.client.removeAllOperators(fromOpenChannel: $0.url) },
        { _ = try await $0.client.operators(ofOpenChannel: $0.url) },
        { try await $0.client.muteNow("bob", inOpenChannel: $0.url) },
        { try await $0.client.unmuteNow("bob", inOpenChannel: $0.url) },
        { _ = try await $0.client.mutedUsers(ofOpenChannel: $0.url) },
        { try await $0.client.ban("bob", fromOpenChannel: $0.url) },
        { try await $0.client.unban("bob", fromOpenChannel: $0.url) },
        { _ = try await $0.client.bannedUsers(ofOpenChannel: $0.url) },
        { _ = try await $0.client.metadata(ofOpenChannel: $0.url) },
        { try await $0.client.createMetadata(["k": "v"], ofOpenChannel: $0.url) },
        { try await $0.client.updateMetadata(["k": "v"], ofOpenChannel: $0.url) },
        { try await $0.client.deleteMetadata(ofOpenChannel: $0.url) },
        { _ = try await $0.client.counters(ofOpenChannel: $0.url) },
        { try await $0.client.createCounters(["k": 1], ofOpenChannel: $0.url) },
        { try await $0.client.changeCounters(["k": 1], ofOpenChannel: $0.url, .set) },
        { try await $0.client.deleteCounters(ofOpenChannel: $0.url) },
    ]

    private static let messageCalls: [Call] = [
        { _ = try await $0.client.timeline(of: $0.url) },
        { _ = try await $0.client.channelList() },
        { _ = try await $0.client.cachedChannel($0.url) },
        { _ = try await $0.client.cachedMessage(1) },
        { _ = try await $0.client.cachedMessages(of: $0.url) },
        { _ = try await $0.client.cachedEdits(in: $0.url, since: .distantPast) },
        { _ = try await $0.client.cachedMentions() },
        { _ = try await $0.client.explain($0.url) },
        { _ = try await $0.client.explain(1, in: $0.url) },
        { _ = try await $0.client.explain("r", in: $0.url) },
        { _ = try await $0.client.holes(in: $0.url) },
        { _ = try await $0.client.countedHoles(in: $0.url) },
        { _ = try await $0.client.fetchMessages(of: $0.url, around: .distantFuture, older: 1) },
        { _ = try await $0.client.fetchMessages(of: $0.url, around: 1, older: 1) },
        { _ = try await $0.client.fetchMessage(1, in: $0.url) },
        { _ = try await $0.client.fetchMessageChanges(of: $0.url, since: .token("t")) },
        { _ = try await $0.client.fetchChannelChanges(since: .token("t")) },
        { try await $0.client.markAsUnread($0.url, from: 1) },
        { try await $0.client.pinMessage(1, in: $0.url) },
        { try await $0.client.unpinMessage(1, in: $0.url) },
        { _ = try await $0.client.pinnedMessages(of: $0.url) },
        { _ = try await $0.client.addMetaArrays([], to: 1, in: $0.url) },
        { _ = try await $0.client.removeMetaArrayTexts([], from: 1, in: $0.url) },
        { _ = try await $0.client.removeMetaArrays([], from: 1, in: $0.url) },
        { try await $0.client.send("text", to: $0.url) },
        { try await $0.client.send(UserMessageParams(text: "text"), to: $0.url) },
        { try await $0.item.acknowledge() },
        { try await $0.item.answer("text") },
        { try await $0.item.answer(UserMessageParams(text: "text"), number: 2) },
        { try await $0.client.edit(1, in: $0.url, text: "text") },
        { try await $0.client.delete(1, in: $0.url) },
        { try await $0.client.addReaction("k", to: .delivered(1), in: $0.url) },
        { try await $0.client.removeReaction("k", from: .delivered(1), in: $0.url) },
        { _ = try await $0.client.evictionPlan() },
        { _ = try await $0.client.trimCache() },
        { try await $0.client.clearCache(of: $0.url) },
        { _ = try await $0.client.eraseCache(of: $0.url) },
        { _ = try await $0.client.compareCache(of: $0.url) },
        { try await $0.client.pinCache(of: $0.url) },
        { try await $0.client.unpinCache(of: $0.url) },
        { _ = try await $0.client.search(MessageSearch("text")) },
        { _ = try await $0.client.downloadEstimate(of: $0.url) },
        { _ = try await $0.timeline.loadOlder() },
        { _ = try await $0.list.loadMore() },
        { try await $0.list.reachServer() },
        { try await $0.timeline.reachServer() },
        { _ = await $0.messages.send("text") },
    ]

    private static let pollCalls: [Call] = [
        { _ = try await $0.client.createPoll(PollCreateParams(title: "t", options: ["a"])) },
        { _ = try await $0.client.fetchPoll(1) },
        { try await $0.client.updatePoll(1, PollUpdateParams(title: "t")) },
        { try await $0.client.closePoll(1) },
        { try await $0.client.deletePoll(1) },
        { _ = try await $0.client.polls(of: $0.url) },
        { _ = try await $0.client.fetchPollChanges(of: $0.url, since: .token("t")) },
        { _ = try await $0.client.fetchPollChanges(ofOpenChannel: $0.url, since: .token("t")) },
        { try await $0.client.addPollOption("a", to: 1) },
        { try await $0.client.updatePollOption(1, of: 1, text: "a") },
        { try await $0.client.deletePollOption(1, of: 1) },
        { _ = try await $0.client.voters(for: 1, in: 1) },
    ]

    private static let image = OutgoingFile(.bytes([1]), name: "a")

    private static let scheduledCalls: [Call] = [
        {
            _ = try await $0.client.schedule(
                UserMessageParams(text: "text"), to: $0.url, at: .distantFuture)
        },
        {
            _ = try await $0.client.schedule(
                FileMessageParams(files: [image]), to: $0.url, at: .distantFuture)
        },
        { _ = try await $0.client.scheduledMessage(1, in: $0.url) },
        { _ = try await $0.client.scheduledMessages() },
        { _ = try await $0.client.scheduledMessageCount() },
        {
            try await $0.client.updateScheduledMessage(
                1, in: $0.url, ScheduledMessageUpdateParams(text: "t"))
        },
        { try await $0.client.cancelScheduledMessage(1, in: $0.url) },
        { try await $0.client.sendScheduledMessage(1, in: $0.url) },
    ]

    private static let waitingCalls =
        channelCalls + userCalls + messageCalls + openChannelCalls + pollCalls + scheduledCalls

    /// Calls that may return at once, or follow something until it ends.
    private static let otherCalls: [Call] = [
        { try await $0.client.vote(for: [1], in: 1, of: $0.url) },
        { try await $0.client.connect() },
        { await $0.client.networkChanged(isUp: true) },
        { await $0.client.appMoved(toForeground: true) },
        { _ = await $0.client.connectionStates() },
        { _ = await $0.client.healthStates() },
        { _ = await $0.client.unreadTotalStates() },
        { _ = await $0.client.health },
        { _ = try await $0.client.cacheSize() },
        { _ = $0.client.journal() },
        { _ = $0.client.journal().name(of: $0.url) },
        { await $0.client.startTyping(in: $0.url) },
        { await $0.client.endTyping(in: $0.url) },
        { _ = await $0.client.typingUsers(in: $0.url) },
        { _ = await $0.client.enteredOpenChannels() },
        { _ = await $0.client.events() },
        { _ = await $0.client.resend("r") },
        { await $0.client.cancel("r") },
        { _ = await $0.client.cancelUpload("r") },
        { _ = await $0.client.unsentMessages() },
        { _ = await $0.client.unsentMessages(in: $0.url) },
        { try await $0.client.send(MessageParams.user(UserMessageParams(text: "t")), to: $0.url) },
        { try await $0.client.send(FileMessageParams(files: [image]), to: $0.url) },
        {
            try await $0.client.send(
                MessageDraft("d", at: DraftPlace($0.url), editedAt: .distantPast))
        },
        { try await $0.client.edit(.delivered(1), in: $0.url, MessageEdit(text: "text")) },
        { try await $0.client.delete(.delivered(1), in: $0.url) },
        { _ = await $0.messages.send(UserMessageParams(text: "text")) },
        { _ = try await $0.client.inbox("new", from: .beginning) },
        { try await $0.client.removeInbox("none") },
        { _ = try await $0.client.contents(of: image) },
        { _ = try await $0.client.contents(of: $0.downloaded) },
        { _ = try await $0.client.downloadedFile(at: HeldNetwork.file) },
        { try await $0.client.copy($0.downloaded, to: $0.place) },
        { _ = try await $0.client.downloadsSize() },
        {
            _ = $0.client.download(
                FileContent(
                    url: HeldNetwork.file, name: "a", type: "image/png", size: ByteCount(bytes: 3)))
        },
        { _ = try await $0.file.file() },
        { try await $0.client.clearDownloads() },
        { try await $0.client.clearCache(includingUnsent: false) },
        { _ = await $0.client.failedMessages(in: $0.url) },
        { await $0.client.removeFailed("r", in: $0.url) },
        { _ = await $0.client.pendingChanges(in: $0.url) },
        { _ = await $0.client.draft(at: DraftPlace($0.url)) },
        { _ = await $0.client.drafts() },
        { _ = await $0.client.refusals() },
        { try await $0.client.outcome(of: "r") },
        { _ = await $0.client.outboxEvents() },
        { _ = await $0.client.uploadProgress(of: "r") },
        { _ = await $0.client.download() },
        { _ = await $0.download.progressUpdates() },
        { await $0.download.pause() },
        { await $0.download.resume() },
        { await $0.download.cancel() },
        { _ = await $0.timeline.snapshots() },
        { _ = await $0.timeline.changes() },
        { _ = await $0.timeline.serverRefusals() },
        { try await $0.timeline.loadNewer() },
        { try await $0.timeline.jump(to: .distantPast) },
        { await $0.messages.run() },
        { await $0.messages.loadOlder() },
        { await $0.messages.loadNewer() },
        { await $0.messages.jump(to: .distantFuture) },
        { await $0.channels.run() },
        { await $0.channels.loadMore() },
        { await $0.client.waitUntilIdle() },
        { await $0.client.use(token: nil) },
    ]

    /// Calls that end the connection, without which a question to the server fails at once.
    private static let endingCalls: [Call] = [{ try await $0.client.signOut() }]

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `the main actor continues while disk and network block every call (R181, scar 139)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let gate = Gate()
        let stage = try await Self.stage(on: HeldNetwork(gate: gate), in: folder)
        let client = stage.client
        await client.suspend()

        var begun = 0
        var ended: [Int] = []
        var tasks: [Task<Void, Never>] = []
        for (number, call) in Self.waitingCalls.enumerated() {
            tasks.append(
                Task { @MainActor in
                    begun += 1
                    try? await call(stage)
                    ended.append(number)
                })
        }
        for call in Self.otherCalls {
            tasks.append(
                Task { @MainActor in
                    begun += 1
                    try? await call(stage)
                })
        }
        // Every turn needs the main actor, and neither disk nor network answers before the last.
        for _ in 0..<1_000 { await Task.detached {}.value }
        #expect(begun == tasks.count)
        #expect(ended == [])
        // On a busy machine the pool may ask for a call so late that the connection is over.
        for call in Self.endingCalls {
            tasks.append(
                Task { @MainActor in
                    begun += 1
                    try? await call(stage)
                })
        }
        for _ in 0..<1_000 { await Task.detached {}.value }
        #expect(begun == tasks.count)
        // Both end calls that wait, so they come last.
        await stage.timeline.close()
        await stage.list.close()

        _ = try await client.resume()
        gate.open()
        await client.disconnect()
        await client.close()
        for task in tasks { await task.value }
        #expect(ended.count == Self.waitingCalls.count)
    }

    /// Calls that return a stream, each read to its end.
    private static let streams: [Call] = [
        { for await _ in await $0.client.connectionStates() {} },
        { for await _ in await $0.client.healthStates() {} },
        { for await _ in await $0.client.unreadTotalStates() {} },
        { for await _ in await $0.client.events() {} },
        { for await _ in await $0.client.outboxEvents() {} },
        { for await _ in await $0.client.uploadProgress(of: "r") {} },
        { for await _ in await $0.client.download().progressUpdates() {} },
        { for await _ in await $0.download.progressUpdates() {} },
        { for await _ in await $0.timeline.snapshots() {} },
        { for await _ in await $0.timeline.changes() {} },
        { for await _ in await $0.timeline.serverRefusals() {} },
        { for await _ in await $0.list.snapshots() {} },
        { for await _ in await $0.list.changes() {} },
        { for try await _ in $0.inbox {} },
        { for try await _ in $0.client.download(fileAt: "https://held.test/other") {} },
    ]

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a closed client answers every call, and every stream of it ends`() async throws {
        let folder = try TemporaryFolder()
        let network = HeldNetwork(gate: Gate())
        let stage = try await Self.stage(on: network, in: folder)
        let client = stage.client
        await stage.download.pause()
        network.gate.open()
        await client.disconnect()
        await client.close()
        var ended = 0
        let calls = Self.waitingCalls + Self.otherCalls + Self.endingCalls + Self.streams
        for call in calls {
            // The limit of the test reports a call that does not return.
            try? await call(stage)
            ended += 1
        }
        #expect(ended == calls.count)
        guard case .disconnected = await client.connectionState else {
            Issue.record("A closed client is connected.")
            return
        }
    }

    /// The types of the receivers in the lists above.
    private static let receivers = [
        "client": "ChatClient", "timeline": "Timeline", "list": "ChannelList",
        "download": "HistoryDownload", "messages": "TimelineModel",
        "channels": "ChannelListModel", "file": "FileDownload", "item": "InboxItem",
    ]

    @Test func `the lists above have every public call`() throws {
        let text = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        let missing = try PublicCalls.missing(in: text, by: Self.receivers)
        #expect(missing == [])
        #expect(try PublicCalls.functions().count > 200)
    }
}
