// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Testing

struct ListDiffTests {
    private struct Item: ListElement {
        var name: Int
        var version: UInt64
        var identities: [Int] { [name] }
    }

    /// The list as a set: what a reader has after applying a step.
    private static func applying(_ diff: ListDiff<Item>, to list: Set<Item>) -> Set<Item> {
        var result = list
        for item in diff.deleted { #expect(result.remove(item) != nil) }
        for update in diff.updated {
            #expect(result.remove(update.before) != nil)
            #expect(result.insert(update.after).inserted)
        }
        for item in diff.inserted { #expect(result.insert(item).inserted) }
        return result
    }

    private static func randomList(_ random: inout SplitMix64) -> [Item] {
        (0..<8).compactMap { name in
            let draw = random.next() % 4
            return draw == 0 ? nil : Item(name: name, version: draw)
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `steps rebuild the list, one by one and joined (scar 86)`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let lists = (0..<12).map { _ in Self.randomList(&random) }
        var shown = Set(lists[0])
        var joined = ListDiff(from: lists[0], to: lists[0])
        #expect(joined.isEmpty)
        for (old, new) in zip(lists, lists.dropFirst()) {
            let step = ListDiff(from: old, to: new)
            shown = Self.applying(step, to: shown)
            #expect(shown == Set(new))
            joined = joined.followed(by: step)
            #expect(Self.applying(joined, to: Set(lists[0])) == Set(new))
        }
    }

    @Test func `steps that were joined keep all their origins (scar 86)`() {
        let live = ListDiff<Message>().told(from: .event)
        #expect(live.followed(by: ListDiff().told(from: .page)).origins == [.event, .page])
    }
}
