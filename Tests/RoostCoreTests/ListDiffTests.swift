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

    /// Returns the list of a reader after a diff, as a set.
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
    func `diffs rebuild the list, one by one and joined (scar 86)`(seed: UInt64) {
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

    @Test func `the change of a read has the origins of all contained commits (scar 86)`() {
        func commit(_ sequence: Int64, of channel: ChannelURL) -> Commit {
            let change = MessagesChange(
                channel: channel, coverageBefore: Coverage(), coverageAfter: Coverage())
            return Commit(sequence: sequence, changes: [.messages(change)])
        }
        var backlog = Backlog()
        #expect(!backlog.lacks(5, showing: .min), "nothing is shown yet")
        #expect(backlog.lacks(5, showing: 4))
        backlog.note(.changeLog)
        backlog.wait(with: commit(5, of: "a"), from: .event)
        backlog.wait(with: commit(6, of: "b"), from: .answer)
        backlog.wait(with: commit(7, of: "a"), from: .catchUp)
        #expect(!backlog.lacks(7, showing: 4) && backlog.lacks(8, showing: 4))
        #expect(
            backlog.origins(of: .page, through: 6) { $0.concerns("a") }
                == [.page, .changeLog, .event])
        #expect(backlog.takeCommits().map(\.commit.sequence) == [5, 6, 7])
        #expect(backlog.origins(of: nil, through: 9) { $0.concerns("a") } == [.disk])
    }

    @Test func `joined diffs keep the values outside the list of what they insert or delete`() {
        func item(_ name: Int, _ version: UInt64) -> Item { Item(name: name, version: version) }
        var first = ListDiff(from: [item(3, 0)], to: [item(1, 1), item(2, 1)])
        first.counterparts = [item(1, 0), item(2, 0), item(3, 1)]
        var second = ListDiff(from: [item(1, 1), item(2, 1)], to: [item(2, 2), item(3, 2)])
        second.counterparts = [item(1, 2), item(3, 1)]
        let joined = first.followed(by: second)
        #expect(joined.inserted == [item(2, 2)] && joined.deleted.isEmpty)
        #expect(joined.updated.map(\.after) == [item(3, 2)])
        #expect(joined.counterparts == [item(2, 0)])
        #expect(joined.counterpart(of: item(2, 2)) == item(2, 0))
        #expect(joined.counterpart(of: item(3, 2)) == nil)
    }

    @Test func `an element that changed and then gave way to another one has no other value`() {
        func item(_ version: UInt64) -> Item { Item(name: 1, version: version) }
        let update = ListDiff(from: [item(0)], to: [item(1)])
        var removal = ListDiff(from: [item(1)], to: [])
        removal.counterparts = [item(1)]
        let joined = update.followed(by: removal)
        #expect(joined.deleted == [item(0)])
        #expect(joined.counterpart(of: item(0)) == item(0))
    }

    @Test func `joined diffs keep all their origins (scar 86)`() {
        let live = ListDiff<Message>().withOrigins([.event])
        #expect(live.followed(by: ListDiff().withOrigins([.page])).origins == [.event, .page])
    }
}
