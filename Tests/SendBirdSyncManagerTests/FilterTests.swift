// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

extension SendBirdTests {
    /// Tests of collections under filters that leave messages or channels out.
    struct Filters {
        private static func names(_ messages: [SBDBaseMessage]) -> [String] {
            messages.map { $0 is SBDFileMessage ? "file" : $0.message }
        }

        private static func filter(_ selection: MessageSelection) -> SBSMMessageFilter {
            let (type, custom, senders): (SBDMessageTypeFilter, String?, [String]?) =
                switch selection {
                case .files: (.file, nil, nil)
                case .notes: (.all, "note", nil)
                case .carols: (.all, nil, ["carol"])
                case .all: (.all, nil, [])
                }
            return SBSMMessageFilter(messageType: type, customType: custom, senderUserIds: senders)
        }

        @Test(arguments: MessageSelection.allCases)
        func `a collection of the sync manager shows the messages of its filter only (R175, R207)`(
            selection: MessageSelection
        ) throws {
            try SyncStory.play(seed: 161) { story in
                let url = try await story.channel("train")
                try await story.base.sendMessages(to: url)
                await story.connect()
                let channel = try await story.get(url)
                let collection = SBSMMessageCollection(
                    channel: channel, filter: Self.filter(selection), viewpointTimestamp: .max)
                func fetch() async {
                    let error: SBDError? = await story.wait { done in
                        collection.fetch(in: .previous) { (error: SBDError?) in done(error) }
                    }
                    #expect(error == nil)
                    await story.world.pass()
                }
                await fetch()
                #expect(Self.names(collection.succeededMessages) == selection.names)
                try await story.base.sendMessages(to: url)
                await story.world.pass()
                #expect(Self.names(collection.succeededMessages) == selection.names(times: 2))
                collection.resetViewpointTimestamp(.max)
                await fetch()
                #expect(Self.names(collection.succeededMessages) == selection.names(times: 2))
                channel.sendUserMessage("mine")
                await story.world.pass()
                let all = selection.names(times: 2) + selection.mine
                #expect(Self.names(collection.succeededMessages) == all)
                collection.remove()
            }
        }

        @Test(arguments: MessageSelection.allCases)
        func `a collection of the last releases shows the messages of its parameters only (R96)`(
            selection: MessageSelection
        ) throws {
            try SyncStory.play(seed: 162) { story in
                let url = try await story.channel("train")
                try await story.base.sendMessages(to: url)
                await story.connect()
                let channel = try await story.get(url)
                let params = SBDMessageListParams()
                switch selection {
                case .files: params.messageType = .file
                case .notes: params.customType = "note"
                case .carols: params.senderUserIds = ["carol"]
                case .all: params.senderUserIds = []
                }
                let collection = SBDMessageCollection(
                    channel: channel, startingPoint: .max, params: params)
                let page: [SBDBaseMessage]? = await story.wait { done in
                    collection.start(
                        with: .cacheAndReplaceByApi, cacheResultHandler: nil
                    ) { messages, _ in done(messages) }
                }
                #expect(Self.names(page ?? []) == selection.names)
                try await story.base.sendMessages(to: url)
                channel.sendUserMessage("mine")
                await story.world.pass()
                let all = selection.names(times: 2) + selection.mine
                #expect(Self.names(collection.succeededMessages) == all)
                collection.dispose()
            }
        }

        @Test func `an empty list of senders is part of no narrower filter (R175, R207)`() {
            func filter(_ senders: [String]?) -> SBSMMessageFilter {
                SBSMMessageFilter(messageType: .all, customType: nil, senderUserIds: senders)
            }
            #expect(!filter([]).isSubFilter(of: filter(["ann"])))
            #expect(filter(["ann"]).isSubFilter(of: filter([])))
            #expect(filter([]).isSubFilter(of: filter(nil)))
            #expect(filter(nil).isSubFilter(of: filter([])))
        }

        private final class ListEvents: SBSMChannelCollectionDelegate {
            var events: [String] = []

            func collection(
                _ collection: SBSMChannelCollection,
                didReceiveEvent action: SBSMChannelEventAction, channels: [SBDGroupChannel]
            ) { events += channels.map { "\(action) \($0.name)" } }
        }

        @Test func `a channel collection shows the channels of its query only (R167)`() throws {
            try SyncStory.play(seed: 163) { story in
                for name in ["boat", "train", "foot"] {
                    let url = try await story.channel(name)
                    try await story.bob.send("hello", to: url)
                    await story.bob.waitUntilIdle()
                    await story.world.pass(.seconds(1))
                }
                _ = try await story.channel("hole")
                await story.connect()
                let query = try #require(SBDGroupChannel.createMyGroupChannelListQuery())
                query.channelNameContainsFilter = "o"
                query.includeEmptyChannel = false
                let list = try #require(SBSMChannelCollection(query: query))
                let screen = ListEvents()
                list.delegate = screen
                let error: SBDError? = await story.wait { done in list.fetch { done($0) } }
                #expect(error == nil)
                await story.world.pass()
                #expect(screen.events == ["insert foot", "insert boat"])
                screen.events = []
                let tram = try await story.channel("tram")
                let rope = try await story.channel("rope")
                await story.world.pass()
                try await story.bob.send("left out", to: tram)
                await story.world.pass()
                #expect(screen.events == [])
                try await story.bob.send("first", to: rope)
                await story.world.pass()
                #expect(screen.events.first == "insert rope")
                #expect(screen.events.allSatisfy { $0.hasSuffix(" rope") })
                #expect(list.channels.map(\.name) == ["rope", "foot", "boat"])
                list.remove()
            }
        }

        /// Opens a list of the channels with a word in their names, two a page.
        private static func list(
            of word: String, for screen: ListEvents
        ) throws -> SBSMChannelCollection {
            let query = try #require(SBDGroupChannel.createMyGroupChannelListQuery())
            query.channelNameContainsFilter = word
            query.limit = 2
            let list = try #require(SBSMChannelCollection(query: query))
            list.delegate = screen
            return list
        }

        @Test
        func `channel collections get events and fetch pages independently of each other (R174)`()
            throws
        {
            try SyncStory.play(seed: 164) { story in
                await story.connect()
                for name in ["boat 1", "train 1", "boat 2", "train 2", "boat 3", "train 3"] {
                    _ = try await story.channel(name)
                    await story.world.pass(.seconds(1))
                }
                await story.world.pass()
                let (boats, trains) = (ListEvents(), ListEvents())
                let boatList = try Self.list(of: "boat", for: boats)
                let trainList = try Self.list(of: "train", for: trains)
                func fetch(_ list: SBSMChannelCollection) async {
                    let error: SBDError? = await story.wait { done in list.fetch { done($0) } }
                    #expect(error == nil)
                    await story.world.pass()
                }
                await fetch(boatList)
                #expect(boats.events == ["insert boat 3", "insert boat 2"])
                #expect(trains.events == [] && trainList.channels.isEmpty)
                await fetch(trainList)
                #expect(trains.events == ["insert train 3", "insert train 2"])
                #expect(boatList.hasMore && trainList.hasMore)

                // The last page of one list leaves the other at its first.
                (boats.events, trains.events) = ([], [])
                await fetch(boatList)
                #expect(boats.events == ["insert boat 1"])
                #expect(!boatList.hasMore && trainList.hasMore)
                #expect(trains.events == [])

                // Each event reaches the list of its channel.
                boats.events = []
                let boat = try await story.channel("boat 4")
                await story.world.pass()
                try await story.bob.deleteChannel(boat)
                await story.world.pass()
                #expect(boats.events.first == "insert boat 4")
                #expect(boats.events.last == "remove boat 4")
                #expect(!boatList.hasMore && trainList.hasMore)
                #expect(trains.events == [])
                #expect(trainList.channels.map(\.name) == ["train 3", "train 2"])

                // A list continues after the end of another.
                boats.events = []
                boatList.remove()
                await fetch(trainList)
                #expect(trains.events == ["insert train 1"])
                #expect(!trainList.hasMore)
                _ = try await story.channel("train 4")
                await story.world.pass()
                #expect(trains.events.contains("insert train 4"))
                #expect(boats.events == [])
                trainList.remove()
            }
        }
    }
}
