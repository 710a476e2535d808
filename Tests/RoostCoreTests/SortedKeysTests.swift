// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Synchronization
import Testing

/// The places of channels in an open list.
struct SortedKeysTests {
    /// A key that counts its comparisons.
    private struct Key: Comparable, Codable, Sendable {
        @TaskLocal static var counter: Counter?

        final class Counter: Sendable {
            let count = Mutex(0)
        }

        let number: Int

        static func < (left: Key, right: Key) -> Bool {
            counter?.count.withLock { $0 += 1 }
            return left.number < right.number
        }
    }

    @Test func `a place is found by halving, not by a walk`() {
        let keys = SortedKeys((0..<4_096).map { Key(number: $0 * 2) })
        let counter = Key.Counter()
        Key.$counter.withValue(counter) {
            for number in [0, 1, 4_095, 5_000, 8_190, 9_000] {
                let key = Key(number: number)
                #expect(keys.end(of: key) == min(number / 2 + 1, 4_096))
                let index = number.isMultiple(of: 2) && number < 8_192 ? number / 2 : nil
                #expect(keys.index(of: key) == index)
            }
        }
        #expect(counter.count.withLock { $0 } <= 6 * 2 * 13)
    }

    @Test(
        arguments: [ChannelOrder.latestLastMessage, .chronological, .name],
        0..<8 as Range<UInt64>)
    func `a list that changes step by step equals one that is sorted anew`(
        order: ChannelOrder, seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        func channel(_ url: ChannelURL) -> GroupChannel {
            let moment = Timestamp(milliseconds: Int64(random.next() % 30))
            var channel = GroupChannel(
                url: url, createdAt: moment,
                lastMessage: Message(
                    delivery: .delivered(1, nil), channelURL: url, createdAt: moment,
                    content: .user(text: "x")))
            channel.name = "N\(random.next() % 9)"
            channel.members = [Member(user: User(id: "u", nickname: "\(random.next() % 3)"))]
            return channel
        }
        var machine = ChannelListMachine(order: order, filter: ChannelFilter(), viewer: "me")
        var all: [ChannelURL: GroupChannel] = [:]
        _ = machine.replace(with: [], hasMore: false, sequence: 0)
        for step in 1...60 as ClosedRange<Int64> {
            let before = machine.channels
            var inserted: [GroupChannel] = []
            var updated: [Update<GroupChannel>] = []
            var deleted: [ChannelURL] = []
            var changed: Set<ChannelURL> = []
            for _ in 0...random.next() % 3 {
                let url = ChannelURL("c\(random.next() % 12)")
                guard changed.insert(url).inserted else { continue }
                switch (all[url], random.next() % 3) {
                case (nil, _):
                    let new = channel(url)
                    all[url] = new
                    inserted.append(new)
                case (_?, 0):
                    all[url] = nil
                    deleted.append(url)
                case (let old?, _):
                    let new = channel(url)
                    all[url] = new
                    updated.append(Update(before: old, after: new))
                }
            }
            let change = ChannelsChange(
                inserted: inserted, updated: updated, deleted: deleted)
            let diff = machine.apply(Commit(sequence: step, changes: [.channels(change)]))
            let sorted = all.values.sorted { order.key(of: $0) < order.key(of: $1) }
            #expect(machine.channels == sorted)
            #expect(diff == ListDiff(from: before, to: sorted))
            #expect(!machine.isBehind)
        }
    }
}
