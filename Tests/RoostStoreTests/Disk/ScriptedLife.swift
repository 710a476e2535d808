// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

/// The work of an app with its store in a few seconds, always with the same steps.
enum ScriptedLife {
    enum Step: Hashable, Sendable {
        case open
        case commit(Int)
        case append(Int)
        case compact
        case close
    }

    /// Two launches: pages, live messages, edits, deletions, unsent messages, a compaction.
    static let steps: [Step] = [
        .open, .commit(1), .append(1), .commit(2), .commit(3), .append(2), .compact, .commit(4),
        .close, .open, .append(3), .commit(5), .commit(6), .append(4), .commit(7), .close,
    ]

    static let commitCount = 7

    /// The content of a commit: data, their coverage and the cursor, in one.
    static func mutations(_ number: Int) -> [Mutation] {
        let cursor = Mutation.cursor(
            .messageChanges(Fixture.channel), .token("after \(number)"))
        switch number {
        case 1:
            return [.channels([Fixture.group(Fixture.channel)]), Fixture.page(100...140), cursor]
        case 2: return [Fixture.page(1...60, in: "other"), cursor]
        case 3:
            return [.liveMessage(Fixture.message(141), predecessor: MessageID(140)), cursor]
        case 4:
            let text = String(repeating: "long ", count: 2_000)
            return [.edited(Fixture.message(120, text: text, updatedAt: 500)), cursor]
        case 5: return [.deleted(Fixture.channel, [MessageID(110), MessageID(111)]), cursor]
        case 6: return [Fixture.page(61...100, in: "other"), cursor]
        default: return [Fixture.page(60...99), cursor]
        }
    }

    static func request(_ number: Int) -> RequestID { RequestID("request \(number)") }

    static func append(_ number: Int, to store: Store) async throws(StoreError) {
        _ = try await store.outbox.append(
            request(number), to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
            content: .userMessage(UserMessageParams(text: "unsent \(number)")))
    }

    /// All that a reader can see of the cache.
    struct Sight: Hashable, Sendable {
        var messages: [[Message]] = []
        var coverage: [Coverage] = []
        var cursor: Cursor?
    }

    static func sight(of store: Store) async throws -> Sight {
        var sight = Sight()
        for channel: ChannelURL in [Fixture.channel, "other"] {
            sight.messages.append(try await store.reader.newest(in: channel))
            sight.coverage.append(try await store.reader.coverage(of: channel).value)
        }
        sight.cursor = try await store.reader.cursor(.messageChanges(Fixture.channel)).value
        return sight
    }

    /// Returns the visible states after none, one, two … of the commits.
    static func sights() async throws -> [Sight] {
        let store = try await Store.test()
        var sights = [try await sight(of: store)]
        for number in 1...commitCount {
            try await store.writer.commit(mutations(number))
            sights.append(try await sight(of: store))
        }
        await store.close()
        return sights
    }

    /// The numbers to try: all of them, or a quick sample drawn from a seed.
    static func sample(_ numbers: ClosedRange<Int>, quick: Int, seed: UInt64) -> [Int] {
        guard !Sample.isWhole, numbers.count > quick else { return Array(numbers) }
        var random = SplitMix64(seed: seed)
        return Array(Array(numbers).shuffled(using: &random).prefix(quick)).sorted()
    }
}
