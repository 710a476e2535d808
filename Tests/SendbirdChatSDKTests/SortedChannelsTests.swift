// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostModel
import RoostTestSupport
import Testing

/// The order of the channels that an app has received, which both doors share.
struct SortedChannelsTests {
    private typealias Channel = RoostModel.GroupChannel

    /// A list by name, in which the URL of each channel is its first name.
    private static func list(_ names: [String]) -> SortedChannels {
        var list = SortedChannels(.name)
        list.insert(names.map { Channel(url: ChannelURL($0), name: $0) })
        return list
    }

    private static func update(_ channel: Channel, to name: String) -> Update<Channel> {
        var after = channel
        (after.name, after.data) = (name, channel.data + "+")
        return Update(before: channel, after: after)
    }

    /// Gives channels a name each, in one change, and returns the URLs of those that have moved.
    private static func move(
        _ names: KeyValuePairs<String, String>, in list: inout SortedChannels
    ) -> [String] {
        var step = ListDiff<Channel>()
        for (url, name) in names {
            for channel in list.channels where channel.url.rawValue == url {
                step.updated.append(update(channel, to: name))
            }
        }
        return list.apply(step).map(\.rawValue).sorted()
    }

    private static func urls(_ list: SortedChannels) -> [String] {
        list.channels.map(\.url.rawValue)
    }

    @Test
    func `of channels that change together, only those that passed others have moved`() {
        var list = Self.list(["x", "y", "b", "e", "d", "c"])
        #expect(Self.urls(list) == ["b", "c", "d", "e", "x", "y"])
        // One channel rises to the top, and all between its places change too.
        var moved = Self.move(["b": "b", "c": "c", "d": "d", "e": "e", "x": "a"], in: &list)
        #expect(moved == ["x"])
        #expect(Self.urls(list) == ["x", "b", "c", "d", "e", "y"])
        // It sinks again, past a channel that changes and one that does not.
        moved = Self.move(["x": "cc", "b": "bb"], in: &list)
        #expect(moved == ["x"])
        #expect(Self.urls(list) == ["b", "c", "x", "d", "e", "y"])
        // A new name alone moves no channel.
        moved = Self.move(["x": "ccc", "y": "z"], in: &list)
        #expect(moved == [])
        // Of two that change places one has moved, and all that pass an unchanged one.
        moved = Self.move(["d": "e1", "e": "d1"], in: &list)
        #expect(moved.count == 1)
        #expect(Self.urls(list) == ["b", "c", "x", "e", "d", "y"])
        moved = Self.move(["b": "x1", "e": "x2", "y": "a"], in: &list)
        #expect(moved == ["b", "e", "y"])
        #expect(Self.urls(list) == ["y", "c", "x", "d", "b", "e"])
    }

    @Test func `new and removed channels move no others`() {
        var list = Self.list(["a", "b", "c", "d"])
        var step = ListDiff<Channel>()
        step.deleted = [list.channels[0], list.channels[2]]
        step.updated = [Self.update(list.channels[1], to: "bb")]
        step.inserted = ["aa", "ab", "cc"].map { Channel(url: ChannelURL($0), name: $0) }
        let moved = list.apply(step)
        #expect(moved == [])
        #expect(Self.urls(list) == ["aa", "ab", "b", "cc", "d"])
    }

    /// Each channel changes with the chance 2 / `share`: many of a short list, few of a long one.
    @Test(arguments: UInt64(1)...20, [4, 64])
    func `after any change the list is sorted, and channels that stay keep their order`(
        seed: UInt64, share: Int
    ) {
        var random = SplitMix64(seed: seed)
        var list = SortedChannels(.name)
        if share == 64 {
            let urls = (0..<150).map { ChannelURL("first \($0)") }
            list.insert(urls.enumerated().map { Channel(url: $1, name: "\($0 % 40)") })
        }
        var count = 0
        for _ in 0..<50 {
            var step = ListDiff<Channel>()
            var expected: [Channel] = []
            for channel in list.channels {
                switch random.below(share) {
                case 0: step.deleted.append(channel)
                case 1:
                    let update = Self.update(channel, to: "\(random.below(40))")
                    step.updated.append(update)
                    expected.append(update.after)
                default: expected.append(channel)
                }
            }
            for _ in 0..<random.below(6) {
                count += 1
                let name = "\(random.below(40))"
                step.inserted.append(Channel(url: ChannelURL("\(count)"), name: name))
            }
            expected += step.inserted
            let order = ChannelOrder.name
            expected.sort { order.key(of: $0) < order.key(of: $1) }
            let before = list.channels.map(\.url)
            let moved = list.apply(step)
            #expect(list.channels == expected)
            #expect(moved.isSubset(of: step.updated.map(\.after.url)))
            let gone = moved.union(step.deleted.map(\.url))
            let stayed = before.filter { !gone.contains($0) }
            let after = list.channels.map(\.url)
            #expect(after.filter { stayed.contains($0) } == stayed)
        }
    }
}
