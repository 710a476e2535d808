// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of a channel's past: collections that begin there, and questions of the server.
    struct History {
        /// Plays a story in which Alice has opened a view at the hundredth of 200 messages.
        private static func playInPast(
            seed: UInt64,
            _ story:
                @escaping @Sendable (
                    DoorStory, ChannelURL, ChatView.CustomViewController
                ) async throws -> Void
        ) throws {
            try DoorStory.play(seed: seed) { play in
                let url = try await play.channel("train")
                for number in 1...200 { try await play.bob.send("m\(number)", to: url) }
                await play.bob.waitUntilIdle()
                await play.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                view.channel = try await play.get(url)
                view.startingPoint = try await play.world.log(of: url)[99].createdAt.milliseconds
                view.createMessageCollection()
                view.initialize()
                await play.world.pass()
                try await story(play, url, view)
            }
        }

        @Test
        func
            `a view in the past has messages before and after its start, and leads to the newest (R100, R101, R110)`()
            throws
        {
            try Self.playInPast(seed: 111) { story, url, view in
                // The sample's list is not inclusive: the message at the start is not shown.
                func texts(_ range: ClosedRange<Int>) -> [String] {
                    range.filter { $0 != 100 }.map { "m\($0)" }
                }
                #expect(view.shown == texts(60...139))
                #expect(view.collection?.hasPrevious == true)
                #expect(view.collection?.hasNext == true)
                // A live message belongs behind messages that the view does not have yet.
                try await story.bob.send("m201", to: url)
                await story.world.pass()
                #expect(view.shown == texts(60...139))
                for end in [179, 201] {
                    view.loadNext()
                    await story.world.pass()
                    #expect(view.shown == texts(60...end))
                    #expect(view.collection?.hasNext == (end < 201))
                }
                for start in [20, 1] {
                    view.loadPrevious()
                    await story.world.pass()
                    #expect(view.shown == texts(start...201))
                    #expect(view.collection?.hasPrevious == (start > 1))
                }
                // At the end it follows the newest messages.
                try await story.bob.send("m202", to: url)
                await story.world.pass()
                #expect(view.shown == texts(1...202))
                view.dispose()
            }
        }

        @Test
        func `an own message sent from a view in the past is updated and stays in it (R143)`()
            throws
        {
            try Self.playInPast(seed: 112) { story, _, view in
                view.calls = []
                view.channel?.sendUserMessage("mine")
                await story.world.pass()
                #expect(view.calls.contains("updated succeeded"))
                #expect(!view.calls.contains { $0.hasPrefix("deleted") })
                #expect(view.shown.last == "mine")
                #expect(view.collection?.succeededMessages.last?.message == "mine")
                #expect(view.collection?.hasNext == true)
                for _ in 0..<2 {
                    view.loadNext()
                    await story.world.pass()
                }
                // The pages bring all messages before it, and it comes once.
                let texts = (60...200).filter { $0 != 100 }.map { "m\($0)" } + ["mine"]
                #expect(view.collection?.hasNext == false)
                #expect(view.collection?.succeededMessages.map(\.message) == texts)
                #expect(view.shown.sorted() == texts.sorted())
                view.dispose()
            }
        }

        @Test func `a query goes on before a message that was deleted since (R194)`() throws {
            try DoorStory.play(seed: 114) { story in
                let url = try await story.channel("train")
                for number in 1...6 { try await story.bob.send("m\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let query = try #require(channel.createPreviousMessageListQuery { $0.limit = 2 })
                var pages: [[String]] = []
                for _ in 1...4 {
                    let page: [BaseMessage]? = await story.wait { done in
                        query.loadNextPage { messages, _ in done(messages) }
                    }
                    pages.append(page?.map(\.message) ?? ["failed"])
                    guard let oldest = page?.first else { continue }
                    try await story.bob.delete(MessageID(oldest.messageId), in: url)
                    await story.bob.waitUntilIdle()
                }
                #expect(pages == [["m5", "m6"], ["m3", "m4"], ["m1", "m2"], []])
                #expect(!query.hasNext)
            }
        }

        private static func params(_ page: PageCase) -> MessageListParams {
            let params = MessageListParams()
            params.previousResultSize = page.older
            params.nextResultSize = page.newer
            params.isInclusive = page.isInclusive
            params.reverse = page.isReversed
            switch page.kind {
            case .all: params.messageTypeFilter = .all
            case .user: params.messageTypeFilter = .user
            case .file: params.messageTypeFilter = .file
            case .admin: params.messageTypeFilter = .admin
            }
            if page.customTypes?.count == 1 {
                params.customType = page.customTypes?[0]
            } else {
                params.customTypes = page.customTypes
            }
            params.senderUserIds = page.senders
            return params
        }

        @Test(arguments: [false, true])
        func `pages around a time or a message are selected by their parameters (R194)`(
            byID: Bool
        ) throws {
            try DoorStory.play(seed: 112) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                try await story.checkPages(in: url) { page, anchor in
                    let params = Self.params(page)
                    let found: [BaseMessage]? = await story.wait { done in
                        if byID {
                            channel.getMessagesByMessageId(
                                anchor.messageID?.rawValue ?? 0, params: params
                            ) { messages, _ in done(messages) }
                        } else {
                            channel.getMessagesByTimestamp(
                                anchor.createdAt.milliseconds, params: params
                            ) { messages, _ in done(messages) }
                        }
                    }
                    return found?.map(\.messageId)
                }
            }
        }

        @Test
        func `a change log by time and by token has edits, deletions and its continuation (R195)`()
            throws
        {
            try DoorStory.play(seed: 113) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                func page(_ ask: (@escaping MessageChangeLogHandler) -> Void) async throws
                    -> ChangePage
                {
                    let answer: (ChangePage?, SBError?) = await story.wait { done in
                        ask { updated, deleted, hasMore, token, error in
                            let page = updated.map {
                                ChangePage(
                                    updated: $0.map(\.message), deleted: deleted ?? [],
                                    hasMore: hasMore, token: token)
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
                            channel.getMessageChangeLogs(timestamp: moment, completionHandler: $0)
                        }
                    },
                    after: { token in
                        try await page {
                            channel.getMessageChangeLogs(token: token, completionHandler: $0)
                        }
                    })
            }
        }
    }
}
