// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// Tests of the queries and of what moderation does to them.
    struct Queries {
        private typealias Channel = SendbirdChatSDK.GroupChannel
        private typealias Params = GroupChannelListQueryParams

        @Test func `parameters have the defaults of the reference`() {
            let params = Params()
            #expect(params.includeEmptyChannel)
            #expect(params.includeFrozenChannel)
            #expect(params.order == .chronological)
            #expect(params.limit == 20)
            #expect(params.queryType == .and)
            #expect(params.channelHiddenStateFilter == .unhiddenOnly)
            #expect(params.superChannelFilter == .all)
            #expect(params.publicChannelFilter == .all)
            #expect(params.customTypesFilter == nil)
            #expect(params.channelURLsFilter == nil)
            let query = Channel.createMyGroupChannelListQuery()
            #expect(query.hasNext)
            #expect(!query.isLoading)
            query.limit = 5
            #expect(query.params.limit == 5)
            #expect((query.copy() as? GroupChannelListQuery)?.limit == 5)
            let create = GroupChannelCreateParams()
            #expect(create.userIds == nil)
            #expect(!create.isDistinct && !create.isSuper && !create.isPublic)
            create.addUserIds(["bob", "carol"])
            create.addUserId("bob")
            #expect(create.userIds == ["bob", "carol"])
            #expect(MemberListQueryParams().order == .nicknameAlphabetical)
            #expect(PublicGroupChannelListQueryParams().includeEmptyChannel)
        }

        @Test func `parameters keep the builder's values, also in a copy`() throws {
            let params = Params {
                $0.setMetaDataFilter("floor", values: ["1"])
                $0.setUserIdsIncludeFilter(["bob"], queryType: .or)
                $0.setSearchFilter("train", fields: [.channelName])
                $0.createdAfter = 5
            }
            let copy = try #require(params.copy() as? Params)
            copy.setMetaDataFilter("floor", valueStartsWith: "2")
            #expect(params.metaDataValuesFilter == ["1"])
            #expect(copy.metaDataValuesFilter == nil)
            #expect(copy.metaDataValueStartsWithFilter == "2")
            #expect(copy.userIdsIncludeFilter == ["bob"])
            #expect(copy.queryType == .or)
            #expect(copy.createdAfter == 5)
        }

        @Test func `certain blocked users are found behind the pages before them`() throws {
            try DoorStory.play(seed: 255) { story in
                await story.connect()
                for id in ["p1", "p2", "p3", "p4", "p5"] {
                    await story.world.add(RoostModel.User(id: UserID(id), nickname: id))
                    let error: SBError? = await story.wait { done in
                        SendbirdChat.blockUserId(id) { done($1) }
                    }
                    #expect(error == nil)
                }
                let query = SendbirdChat.createBlockedUserListQuery {
                    $0.userIdsFilter = ["p5", "p2", "bob"]
                    $0.limit = 1
                }
                let (found, error): ([SendbirdChatSDK.User]?, SBError?) = await story.wait { done in
                    query.loadNextPage { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(Set(found?.map(\.userId) ?? []) == ["p2", "p5"])
                #expect(!query.hasNext)
            }
        }

        @Test func `a list that the client cannot make is refused`() throws {
            try DoorStory.play(seed: 80) { story in
                await story.connect()
                for filter in [MyMemberStateFilter.invitedByFriend, .invitedByNonFriend] {
                    let query = Channel.createMyGroupChannelListQuery {
                        $0.myMemberStateFilter = filter
                    }
                    #expect(SendbirdChat.createGroupChannelCollection(query: query) == nil)
                    let answer: ([Channel]?, SBError?) = await story.wait { done in
                        query.loadNextPage { done(($0, $1)) }
                    }
                    #expect(answer.0 == nil)
                    #expect(answer.1?.errorCode == .notSupported)
                }
                let params = GroupChannelCreateParams()
                params.isStrict = true
                let made: (Channel?, SBError?) = await story.wait { done in
                    Channel.createChannel(params: params) { done(($0, $1)) }
                }
                #expect(made.0 == nil)
                #expect(made.1?.localizedDescription.contains("strict") == true)
            }
        }

        @Test func `two filters of a kind of which the client has one are refused`() throws {
            try DoorStory.play(seed: 82) { story in
                await story.connect()
                let rivals: [(Params) -> Void] = [
                    { ($0.nicknameContainsFilter, $0.nicknameStartsWithFilter) = ("a", "b") },
                    { ($0.nicknameContainsFilter, $0.nicknameExactMatchFilter) = ("a", "b") },
                    { ($0.userIdsExactFilter, $0.userIdsIncludeFilter) = (["bob"], ["carol"]) },
                    {
                        $0.setMetaDataFilter("floor", values: ["1"])
                        $0.metaDataValueStartsWithFilter = "2"
                    },
                ]
                for set in rivals {
                    let query = Channel.createMyGroupChannelListQuery(params: Params(builder: set))
                    #expect(SendbirdChat.createGroupChannelCollection(query: query) == nil)
                    let error: SBError? = await story.wait { done in
                        query.loadNextPage { done($1) }
                    }
                    #expect(error?.errorCode == .notSupported)
                    // Names of channels leave both without effect.
                    let named = Params(builder: set)
                    named.channelURLsFilter = ["train"]
                    let other = Channel.createMyGroupChannelListQuery(params: named)
                    let none: SBError? = await story.wait { done in
                        other.loadNextPage { done($1) }
                    }
                    #expect(none == nil)
                }
            }
        }

        @Test func `channels that a query names need to meet no other condition`() throws {
            try DoorStory.play(seed: 358) { story in
                let url = try await story.channel("train")
                _ = try await story.channel("boat")
                await story.connect()
                let channel = try await story.get(url)
                await Self.act(story) { channel.hide(completionHandler: $0) }
                let query = Channel.createMyGroupChannelListQuery {
                    $0.channelURLsFilter = [url.rawValue]
                    ($0.includeEmptyChannel, $0.superChannelFilter) = (false, .super)
                }
                #expect(query.belongsTo(channel: channel))
                let names: [String] = await story.wait { done in
                    query.loadNextPage { channels, _ in done((channels ?? []).map(\.name)) }
                }
                #expect(names == ["train"])
            }
        }

        @Test func `a query loads one page at a time, and knows which channels belong to it`()
            throws
        {
            try DoorStory.play(seed: 81) { story in
                let urls = [try await story.channel("train"), try await story.channel("boat")]
                await story.connect()
                let channels = [try await story.get(urls[0]), try await story.get(urls[1])]
                let query = Channel.createMyGroupChannelListQuery {
                    $0.channelNameContainsFilter = "rai"
                }
                let outcomes = Answers<String>()
                query.loadNextPage { channels, error in
                    outcomes.values.append((channels ?? []).map(\.name).joined())
                    #expect(!query.isLoading)
                }
                #expect(query.isLoading)
                query.loadNextPage { _, error in outcomes.values.append("\(error?.code ?? 0)") }
                await story.world.pass()
                #expect(
                    Set(outcomes.values)
                        == ["train", "\(ChatError.queryInProgress.rawValue)"])
                #expect(!query.hasNext)
                #expect(query.belongsTo(channel: channels[0]))
                #expect(!query.belongsTo(channel: channels[1]))
            }
        }

        @Test(arguments: [UInt(1), 2, 20])
        func
            `the pages of a channel query have each channel once after an absence (R4, R197, scars 100 and 101)`(
                limit: UInt
            ) throws
        {
            try DoorStory.play(seed: 256 + UInt64(limit)) { story in
                var urls: [ChannelURL] = []
                for name in ["old", "middle", "new"] {
                    urls.append(try await story.channel(name))
                    try await story.bob.send("1", to: urls[urls.count - 1])
                    await story.world.pass(.seconds(1))
                }
                await story.connect()
                await story.world.pass()
                await SendbirdChat.door.close()
                try await story.bob.send("2", to: urls[0])
                await story.world.pass(.seconds(1))
                try await story.bob.send("1", to: try await story.channel("latest"))
                await story.world.pass(.seconds(1))

                story.launch()
                let query = Channel.createMyGroupChannelListQuery {
                    $0.order = .latestLastMessage
                    $0.limit = limit
                }
                var found: [Channel]? = await story.wait { done in
                    SendbirdChat.connect(userId: "alice") { _, _ in
                        query.loadNextPage { channels, _ in done(channels) }
                    }
                }
                var pages = [try #require(found)]
                while query.hasNext, pages.count < 9 {
                    await story.world.pass()
                    found = await story.wait { done in
                        query.loadNextPage { channels, _ in done(channels) }
                    }
                    pages.append(try #require(found))
                }
                let all = pages.joined()
                #expect(all.map(\.name) == ["latest", "old", "new", "middle"])
                #expect(all.map(\.unreadMessageCount) == [1, 2, 1, 1])

                // A message between two pages moves its channel, which is neither lost nor doubled.
                let again = Channel.createMyGroupChannelListQuery {
                    $0.order = .latestLastMessage
                    $0.limit = limit
                }
                var names: [String] = []
                while again.hasNext, names.count < 9 {
                    let page: [Channel]? = await story.wait { done in
                        again.loadNextPage { channels, _ in done(channels) }
                    }
                    names += try #require(page).map(\.name)
                    try await story.bob.send("3", to: urls[1])
                    await story.world.pass()
                }
                #expect(names.sorted() == ["latest", "middle", "new", "old"])

                // Without a connection the cache answers at once.
                await story.phone.network.cut()
                await story.world.pass()
                let cached: [String]? = await story.wait { done in
                    Channel.createMyGroupChannelListQuery { $0.limit = 20 }
                        .loadNextPage { channels, _ in done(channels?.map(\.name)) }
                }
                #expect(cached?.sorted() == ["latest", "middle", "new", "old"])
            }
        }

        @Test
        func `the conditions on public channels select them (R197, scar 104)`() throws {
            try DoorStory.play(seed: 279) { story in
                await story.connect()
                for name in ["joined", "other", "frozen", "empty"] {
                    var params = ChannelCreateParams(
                        memberIDs: name == "joined" ? ["alice"] : [], name: name)
                    params.isPublic = true
                    params.operatorIDs = ["bob"]
                    let url = try await story.bob.createChannel(params).url
                    if name != "empty" { try await story.bob.send("hello", to: url) }
                    await story.bob.waitUntilIdle()
                    if name == "frozen" { try await story.bob.setFrozen(true, url) }
                }
                func names(
                    _ change: (PublicGroupChannelListQueryParams) -> Void
                ) async throws -> [String] {
                    let query = Channel.createPublicGroupChannelListQuery { change($0) }
                    let names: [String]? = await story.wait { done in
                        query.loadNextPage { channels, _ in done(channels?.map(\.name).sorted()) }
                    }
                    return try #require(names)
                }
                #expect(try await names { _ in } == ["empty", "frozen", "joined", "other"])
                #expect(try await names { $0.publicMembershipFilter = .joined } == ["joined"])
                #expect(
                    try await names { $0.includeEmptyChannel = false }
                        == ["frozen", "joined", "other"])
                #expect(
                    try await names { $0.includeFrozenChannel = false }
                        == ["empty", "joined", "other"])
            }
        }

        @Test func `operators see members, mutes, bans and operators in pages`() throws {
            try DoorStory.play(seed: 82) { story in
                for user in ["carol", "dave", "erin"] as [UserID] {
                    await story.world.add(
                        User(id: user, nickname: user.rawValue), acceptsInvitations: true)
                }
                await story.connect()
                let params = GroupChannelCreateParams()
                params.userIds = ["carol", "dave", "erin"]
                params.operatorUserIds = ["alice"]
                let made: Channel? = await story.wait { done in
                    Channel.createChannel(params: params) { channel, _ in done(channel) }
                }
                let channel = try #require(made)
                let members = try #require(
                    channel.createMemberListQuery {
                        $0.limit = 3
                        $0.order = .operatorThenMemberNicknameAlphabetical
                    })
                let first = try await Self.names(story) {
                    members.loadNextPage(completionHandler: $0)
                }
                #expect(first.first == "alice")
                #expect(first.count == 3)
                #expect(members.hasNext)
                let second = try await Self.names(story) {
                    members.loadNextPage(completionHandler: $0)
                }
                #expect(second == ["erin"])
                #expect(!members.hasNext)

                await Self.act(story) {
                    channel.muteUser(
                        userId: "carol", seconds: -1, description: "loud", completionHandler: $0)
                }
                await Self.act(story) {
                    channel.banUser(
                        userId: "dave", seconds: 120, description: nil, completionHandler: $0)
                }
                await Self.act(story) {
                    channel.addOperators(userIds: ["erin"], completionHandler: $0)
                }
                let muted: [SendbirdChatSDK.RestrictedUser]? = await story.wait { done in
                    channel.createMutedUserListQuery()?.loadNextPage { users, _ in done(users) }
                }
                #expect(muted?.map(\.userId) == ["carol"])
                #expect(muted?.first?.restrictionInfo?.desc == "loud")
                #expect(muted?.first?.restrictionInfo?.endAt == -1)
                let banned: [SendbirdChatSDK.RestrictedUser]? = await story.wait { done in
                    BaseChannel.createBannedUserListQuery(
                        channelType: .group, channelURL: channel.channelURL
                    ) { $0.limit = 10 }.loadNextPage { users, _ in done(users) }
                }
                #expect(banned?.map(\.userId) == ["dave"])
                #expect((banned?.first?.restrictionInfo?.endAt ?? 0) > 0)
                let operators: [SendbirdChatSDK.User]? = await story.wait { done in
                    channel.createOperatorListQuery()?.loadNextPage { users, _ in done(users) }
                }
                #expect(Set(operators?.map(\.userId) ?? []) == ["alice", "erin"])
                #expect(channel.members.count == 3)
                await Self.act(story) { channel.refresh(completionHandler: $0) }
                #expect(channel.members.count == 3)
                #expect(channel.getMember("carol")?.isMuted == true)
                #expect(channel.getMember("carol")?.restrictionInfo?.desc == "loud")
                #expect(!channel.hasMember("dave"))
            }
        }

        @Test
        func `typing members, hidden state, preferences and metadata are read from a channel`()
            throws
        {
            try DoorStory.play(seed: 83) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let observer = TypingObserver()
                SendbirdChat.addChannelDelegate(observer, identifier: "typing")
                await story.bob.startTyping(in: url)
                await story.world.pass()
                #expect(channel.isTyping())
                #expect(channel.getTypingUsers()?.map(\.userId) == ["bob"])
                await story.world.pass(.seconds(30))
                #expect(!channel.isTyping())
                SendbirdChat.removeChannelDelegate(forIdentifier: "typing")

                await Self.act(story) {
                    channel.hide(
                        hidePreviousMessages: false, allowAutoUnhide: false, completionHandler: $0)
                }
                await Self.act(story) {
                    channel.setMyPushTriggerOption(.mentionOnly, completionHandler: $0)
                }
                await Self.act(story) {
                    channel.setMyCountPreference(.unreadMentionCountOnly, completionHandler: $0)
                }
                await story.world.pass()
                await Self.act(story) { channel.refresh(completionHandler: $0) }
                #expect(channel.hiddenState == .hiddenPreventAutoUnhide)
                #expect(channel.myPushTriggerOption == .mentionOnly)
                #expect(channel.myCountPreference == .unreadMentionCountOnly)

                try await story.bob.createMetadata(["floor": "1"], of: url)
                await story.world.pass()
                let texts: [String: String]? = await story.wait { done in
                    channel.getAllMetaData { texts, _ in done(texts) }
                }
                #expect(texts == ["floor": "1"])
                await Self.act(story) { channel.refresh(completionHandler: $0) }
                #expect(channel.getCachedMetaData() == ["floor": "1"])
            }
        }

        private final class TypingObserver: GroupChannelDelegate {}

        private static func act(
            _ story: DoorStory, _ call: (@escaping SBErrorHandler) -> Void
        ) async {
            let error: SBError? = await story.wait { done in call { done($0) } }
            #expect(error == nil)
        }

        private static func names(
            _ story: DoorStory,
            _ load: (@escaping ([SendbirdChatSDK.Member]?, SBError?) -> Void) -> Void
        ) async throws -> [String] {
            let members: [SendbirdChatSDK.Member]? = await story.wait { done in
                load { members, _ in done(members) }
            }
            return try #require(members).map(\.userId)
        }
    }
}
