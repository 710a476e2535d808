// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

/// The names of the change log before August 2021, which warn at each call of their own.
private protocol OldChangeLog {
    func getMessageChangeLogs(
        withToken token: String?,
        completionHandler: SBDBaseChannel.MessageChangeLogsHandler?)
    func getMessageChangeLogs(
        byTimestamp timestamp: Int64,
        completionHandler: SBDBaseChannel.MessageChangeLogsHandler?)
}

extension SBDBaseChannel: OldChangeLog {}

extension SendBirdTests {
    struct History {
        @Test
        func `objects survive serialisation as objects of their own kind (R12 to R18)`() throws {
            let message = RoostModel.Message(
                delivery: .delivered(7, "r-1"), channelURL: "c",
                createdAt: Timestamp(milliseconds: 1_432_039_402_493),
                sender: Sender(user: User(id: "ann")), content: .user(text: "hello"))
            let object = SBDBaseMessage.make(message)
            let data = try #require(object.serialize())
            let again = try #require(SBDBaseMessage.build(fromSerializedData: data))
            #expect(again is SBDUserMessage)
            #expect((again as? SBDUserMessage)?.requestId == "r-1")
            #expect(again == object)
            #expect(again.createdAt == 1_432_039_402_493)
            #expect(SBDUserMessage.build(fromSerializedData: data) != nil)
            #expect(SBDFileMessage.build(fromSerializedData: data) == nil)
            #expect(SBDGroupChannel.build(fromSerializedData: data) == nil)
            #expect(SBDBaseMessage.build(fromSerializedData: Data("garbage".utf8)) == nil)
            let channel = SBDGroupChannel(kept: GroupChannel(url: "c", name: "train"))
            let bytes = try #require(channel.serialize())
            #expect(SBDGroupChannel.build(fromSerializedData: bytes)?.name == "train")
            #expect(SBDBaseChannel.build(fromSerializedData: bytes) is SBDGroupChannel)
        }

        @Test func `a stored member and a stored sender keep their part in the channel (R12)`()
            throws
        {
            var member = Member(
                user: User(id: "ann"), state: .invited, role: .operator, isMuted: true)
            member.isBlockedByMe = true
            let channel = SBDGroupChannel(kept: GroupChannel(url: "c", members: [member]))
            let kept = try #require(channel.members?.firstObject as? SBDMember)
            let data = try #require(kept.serialize())
            let again = try #require(SBDMember.build(fromSerializedData: data))
            #expect(again == kept && again.userId == "ann")
            #expect(again.state == .invited && again.role == .operator)
            #expect(again.isMuted && again.isBlockedByMe && !again.isBlockingMe)
            let user = try #require(SBDUser.build(fromSerializedData: data))
            #expect(user.userId == "ann" && !(user is SBDMember))

            let message = SBDBaseMessage.make(
                Message(
                    delivery: .delivered(7, nil), channelURL: "c",
                    createdAt: Timestamp(milliseconds: 1),
                    sender: Sender(user: User(id: "bob"), role: .operator),
                    content: .user(text: "hello")))
            let sent = try #require(message.sender?.serialize())
            #expect(SBDSender.build(fromSerializedData: sent)?.role == .operator)
            #expect(SBDSender.build(fromSerializedData: data)?.role == SBDRole.none)
            // The bytes of an earlier release have the user alone.
            let plain = try #require(user.serialize())
            #expect(SBDMember.build(fromSerializedData: plain)?.state == .joined)
            #expect(SBDMember.build(fromSerializedData: Data("x".utf8)) == nil)
        }

        @Test
        func `pages and change logs feed a database of the app's own (R56 to R61, R63, R70, R196)`()
            throws
        {
            try SyncStory.play(seed: 21) { story in
                let url = try await story.channel("train")
                for number in 1...10 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let params = SBDMessageListParams()
                params.previousResultSize = 4
                let newest: ([SBDBaseMessage]?, SBDError?) = await story.wait { done in
                    channel.getMessagesByTimestamp(Int64.max, params: params) { done(($0, $1)) }
                }
                let page = try #require(newest.0)
                #expect(page.map { $0.message } == ["7", "8", "9", "10"])
                params.reverse = true
                let older: ([SBDBaseMessage]?, SBDError?) = await story.wait { done in
                    channel.getMessagesByTimestamp(page[0].createdAt, params: params) {
                        done(($0, $1))
                    }
                }
                #expect(older.0?.map { $0.message } == ["6", "5", "4", "3"])
                let since = page[3].createdAt
                let newer = SBDMessageListParams()
                newer.nextResultSize = 10
                newer.isInclusive = false
                try await story.bob.send("11", to: url)
                try await story.bob.edit(MessageID(page[0].messageId), in: url, text: "7!")
                try await story.bob.delete(MessageID(page[1].messageId), in: url)
                await story.bob.waitUntilIdle()
                let news: ([SBDBaseMessage]?, SBDError?) = await story.wait { done in
                    channel.getMessagesByTimestamp(since, params: newer) { done(($0, $1)) }
                }
                #expect(news.0?.map { $0.message } == ["11"])
                typealias Log = ([SBDBaseMessage]?, [NSNumber]?, Bool, String?, SBDError?)
                let log: Log = await story.wait { done in
                    channel.getMessageChangeLogs(
                        sinceTimestamp: since, params: SBDMessageChangeLogsParams()
                    ) { done(($0, $1, $2, $3, $4)) }
                }
                // A message written since is a change as well.
                #expect(log.0?.contains { $0.message == "7!" } == true)
                #expect(log.1 == [NSNumber(value: page[1].messageId)])
                let next: Log = await story.wait { done in
                    channel.getMessageChangeLogs(
                        sinceToken: log.3, params: SBDMessageChangeLogsParams()
                    ) { done(($0, $1, $2, $3, $4)) }
                }
                #expect(next.0 == [])
                #expect(next.1 == [])
                typealias Channels = ([SBDGroupChannel]?, [String]?, Bool, String?, SBDError?)
                let channels: Channels = await story.wait { done in
                    SBDMain.getMyGroupChannelChangeLogs(byTimestamp: 1, customTypes: nil) {
                        done(($0, $1, $2, $3, $4))
                    }
                }
                #expect(channels.0?.map(\.name) == ["train"])
                let ships = SBDGroupChannelChangeLogsParams()
                ships.customTypes = ["ship"]
                for type in ["", "ship"] {
                    if !type.isEmpty {
                        try await story.bob.makeNow(
                            .update(ChannelUpdateParams(customType: type)), in: url)
                        await story.world.pass()
                    }
                    let selected: Channels = await story.wait { done in
                        SBDMain.getMyGroupChannelChangeLogs(
                            byTimestamp: 1, customTypes: ["ship"]
                        ) { done(($0, $1, $2, $3, $4)) }
                    }
                    let same: Channels = await story.wait { done in
                        SBDMain.getMyGroupChannelChangeLogs(byTimestamp: 1, params: ships) {
                            done(($0, $1, $2, $3, $4))
                        }
                    }
                    for page in [selected, same] {
                        #expect(page.0?.map(\.name) == (type.isEmpty ? [] : ["train"]))
                    }
                }
                try await story.bob.deleteChannel(url)
                await story.world.pass()
                let gone: Channels = await story.wait { done in
                    SBDMain.getMyGroupChannelChangeLogs(byToken: channels.3, customTypes: nil) {
                        done(($0, $1, $2, $3, $4))
                    }
                }
                #expect(gone.1 == [url.rawValue])
            }
        }

        @Test
        func `the deprecated names of the change log give the same pages (R62)`() throws {
            try SyncStory.play(seed: 25) { story in
                let url = try await story.channel("train")
                for number in 1...3 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                let sent = try await story.world.log(of: url)
                await story.connect()
                let channel: any OldChangeLog = try await story.get(url)
                try await story.bob.edit(try #require(sent[0].messageID), in: url, text: "1!")
                try await story.bob.delete(try #require(sent[1].messageID), in: url)
                await story.bob.waitUntilIdle()
                typealias Log = ([SBDBaseMessage]?, [NSNumber]?, Bool, String?, SBDError?)
                let log: Log = await story.wait { done in
                    channel.getMessageChangeLogs(
                        byTimestamp: sent[2].createdAt.milliseconds
                    ) { done(($0, $1, $2, $3, $4)) }
                }
                #expect(log.0?.contains { $0.message == "1!" } == true)
                #expect(log.1 == [NSNumber(value: sent[1].messageID?.rawValue ?? 0)])
                #expect(log.4 == nil)
                let nothing: Log = await story.wait { done in
                    channel.getMessageChangeLogs(withToken: log.3) { done(($0, $1, $2, $3, $4)) }
                }
                #expect(nothing.0 == [])
                #expect(nothing.1 == [])
                try await story.bob.edit(try #require(sent[2].messageID), in: url, text: "3!")
                await story.bob.waitUntilIdle()
                let next: Log = await story.wait { done in
                    channel.getMessageChangeLogs(withToken: nothing.3) {
                        done(($0, $1, $2, $3, $4))
                    }
                }
                #expect(next.0?.map { $0.message } == ["3!"])
            }
        }

        @Test func `pages around a time are selected by their parameters (R194)`() throws {
            try SyncStory.play(seed: 23) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let kinds: [MessageFilter.Kind: SBDMessageTypeFilter] = [
                    .all: .all, .user: .user, .file: .file, .admin: .admin,
                ]
                try await story.checkPages(in: url) { page, anchor in
                    let params = SBDMessageListParams()
                    params.previousResultSize = page.older
                    params.nextResultSize = page.newer
                    params.isInclusive = page.isInclusive
                    params.reverse = page.isReversed
                    params.messageType = kinds[page.kind] ?? .all
                    if page.customTypes?.count == 1 {
                        params.customType = page.customTypes?[0]
                    } else {
                        params.customTypes = page.customTypes
                    }
                    params.senderUserIds = page.senders
                    let found: [SBDBaseMessage]? = await story.wait { done in
                        channel.getMessagesByTimestamp(
                            anchor.createdAt.milliseconds, params: params
                        ) { messages, _ in done(messages) }
                    }
                    return found?.map(\.messageId)
                }
            }
        }

        @Test
        func `a change log by time and by token has edits, deletions and its continuation (R195)`()
            throws
        {
            try SyncStory.play(seed: 24) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let params = SBDMessageChangeLogsParams()
                func page(
                    _ ask: (@escaping SBDBaseChannel.MessageChangeLogsHandler) -> Void
                ) async throws -> ChangePage {
                    let answer: (ChangePage?, SBDError?) = await story.wait { done in
                        ask { updated, deleted, hasMore, token, error in
                            let page = updated.map {
                                ChangePage(
                                    updated: $0.map(\.message),
                                    deleted: (deleted ?? []).map(\.int64Value), hasMore: hasMore,
                                    token: token)
                            }
                            done((page, error))
                        }
                    }
                    return try #require(answer.0)
                }
                try await story.checkChanges(
                    in: url,
                    since: { moment in
                        try await page {
                            channel.getMessageChangeLogs(
                                sinceTimestamp: moment, params: params, completionHandler: $0)
                        }
                    },
                    after: { token in
                        try await page {
                            channel.getMessageChangeLogs(
                                sinceToken: token, params: params, completionHandler: $0)
                        }
                    })
            }
        }

        @Test
        func `open channels are listed page by page as a kind of their own (R5, R65, R214)`()
            throws
        {
            try SyncStory.play(seed: 22) { story in
                for number in 1...5 {
                    await story.world.makeOpenChannel(
                        ChannelURL("open-\(number)"), name: "hall \(number)")
                }
                _ = try await story.channel("train")
                await story.connect()
                let query = try #require(SBDOpenChannel.createOpenChannelListQuery())
                query.limit = 2
                var pages: [[SBDOpenChannel]] = []
                while query.hasNext {
                    let (page, error): ([SBDOpenChannel]?, SBDError?) = await story.wait { done in
                        query.loadNextPage { done(($0, $1)) }
                    }
                    #expect(error == nil)
                    pages.append(page ?? [])
                }
                #expect(pages.map(\.count) == [2, 2, 1])
                #expect(pages.flatMap { $0 }.map(\.name) == (1...5).map { "hall \($0)" })
                // Too early and too late are both harmless.
                let twice = try #require(SBDOpenChannel.createOpenChannelListQuery())
                let codes = Answers<Int>()
                for _ in 0..<2 { twice.loadNextPage { codes.values.append($1?.code ?? 0) } }
                await story.world.pass()
                #expect(codes.values.sorted() == [0, SBDErrorCode.queryInProgress.rawValue])
                // They have no place among the user's channels.
                let bytes = try #require(pages[0][0].serialize())
                #expect(SBDGroupChannel.build(fromSerializedData: bytes) == nil)
                #expect(SBDBaseChannel.build(fromSerializedData: bytes) is SBDOpenChannel)
                let group = SBDGroupChannel(kept: GroupChannel(url: "c"))
                #expect(
                    SBDOpenChannel.build(fromSerializedData: try #require(group.serialize())) == nil
                )
                let list = ListScreen()
                list.viewDidLoad()
                await story.world.pass()
                #expect(list.events == ["insert train"])
                list.close()
            }
        }
    }
}
