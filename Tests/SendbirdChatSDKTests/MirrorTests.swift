// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostModel
import Testing

/// The part of a list that an app has received, which both doors share.
struct MirrorTests {
    private static func message(_ id: Int64, _ text: String) -> Message {
        Message(
            delivery: .delivered(MessageID(rawValue: id), nil), channelURL: "c",
            createdAt: Timestamp(milliseconds: id), content: .user(text: text))
    }

    private static func step(
        inserted: [Message] = [], updated: [(Message, Message)] = [], deleted: [Message] = [],
        _ origin: ChangeOrigin
    ) -> ListDiff<Message> {
        var step = ListDiff<Message>()
        step.inserted = inserted
        step.updated = updated.map { Update(before: $0.0, after: $0.1) }
        step.deleted = deleted
        return step.withOrigins([origin])
    }

    @Test
    func `steps that are applied again change nothing, and later ones count (scar 101)`() {
        let old = (1...4).map { Self.message($0, "old") }
        let edits = (Self.message(1, "first"), Self.message(1, "second"))
        let new = Self.message(5, "new")
        let steps = [
            Self.step(updated: [(old[0], edits.0)], .changeLog),
            Self.step(inserted: [new], updated: [(edits.0, edits.1)], .event),
            Self.step(inserted: [Self.message(6, "brief")], deleted: [old[1]], .page),
            Self.step(deleted: [Self.message(6, "brief")], .event),
        ]
        var whole = Mirror<Message>()
        whole.replace(with: old)
        let unseen = whole.apply(steps)
        #expect(unseen[0].isEmpty && unseen[3].isEmpty)
        #expect(unseen[1].origins == [.event] && unseen[1].inserted == [new])
        #expect(unseen[1].updated.map(\.before) == [old[0]])
        #expect(unseen[1].updated.map(\.after) == [edits.1])
        #expect(unseen[2].deleted == [old[1]] && unseen[2].inserted.isEmpty)
        #expect(whole.all == [edits.1, old[2], old[3], new])

        // The live steps were delivered before.
        var part = Mirror<Message>()
        part.replace(with: old)
        for step in [steps[1], steps[3]] { _ = part.apply(step) }
        let rest = part.apply(steps)
        #expect(part.all == whole.all)
        #expect(rest.filter { !$0.isEmpty }.map(\.deleted) == [[old[1]]])
        #expect(rest.allSatisfy { $0.inserted.isEmpty && $0.updated.isEmpty })
    }

    @Test func `the value before a channel's entry stays with the step that shows it (R89)`() {
        func channel(_ name: String) -> RoostModel.GroupChannel {
            RoostModel.GroupChannel(url: "c", name: name)
        }
        var entry = ListDiff<RoostModel.GroupChannel>().withOrigins([.event])
        entry.inserted = [channel("shown")]
        entry.counterparts = [channel("hidden")]
        var update = ListDiff<RoostModel.GroupChannel>().withOrigins([.event])
        update.updated = [Update(before: channel("shown"), after: channel("new"))]
        var mirror = Mirror<RoostModel.GroupChannel>()
        let unseen = mirror.apply([entry, update])
        #expect(unseen[0].isEmpty && unseen[0].counterparts.isEmpty)
        #expect(unseen[1].inserted == [channel("new")])
        #expect(unseen[1].counterpart(of: channel("new")) == channel("hidden"))
    }

    @Test func `a channel that changed and then gave way to another one has no other value`() {
        func channel(_ name: String) -> RoostModel.GroupChannel {
            RoostModel.GroupChannel(url: "c", name: name)
        }
        var update = ListDiff<RoostModel.GroupChannel>().withOrigins([.event])
        update.updated = [Update(before: channel("old"), after: channel("new"))]
        var removal = ListDiff<RoostModel.GroupChannel>().withOrigins([.event])
        removal.deleted = [channel("new")]
        removal.counterparts = [channel("new")]
        var mirror = Mirror<RoostModel.GroupChannel>()
        mirror.replace(with: [channel("old")])
        let unseen = mirror.apply([update, removal])
        #expect(unseen[1].deleted == [channel("old")])
        #expect(unseen[1].counterpart(of: channel("old")) == channel("old"))
    }

    @Test func `steps that a page contains show no older state once more (R87, R91)`() {
        let states = ["old", "new"].map { Self.message(1, $0) }
        var mirror = Mirror<Message>()
        #expect(mirror.absorb([states[1]]) == [states[1]])
        let unseen = mirror.apply([
            Self.step(inserted: [states[0]], .page),
            Self.step(updated: [(states[0], states[1])], .event),
        ])
        #expect(unseen.allSatisfy { $0.isEmpty })
        #expect(mirror.all == [states[1]])
    }
}
