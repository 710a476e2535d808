// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Testing

/// The bound of the journal's record, and its replay from its beginning.
struct SyncRecordTests {
    /// Gives one of the machines a random input.
    private static func randomStep(
        _ random: inout SplitMix64, _ number: Int, _ state: SyncReplay = SyncReplay()
    ) -> SyncStep {
        let epoch = state.link.epoch
        // One of the last few items.
        let id = RequestID("\(max(0, number - Int(random.next() % 20)))")
        let channel = ChannelURL("\(random.next() % 3)")
        let input: LinkMachine.Input
        switch random.next() % 12 {
        case 0: input = .connect
        case 1: input = .opened(epoch)
        case 2: input = .loginSucceeded(epoch, .standard)
        case 3: input = .lost(epoch, .unreachable(""))
        case 4: input = .fired(.retry)
        case 5: input = .appMoved(toForeground: random.next() % 2 == 0)
        case 6:
            let item = OutboxMachine.Item(
                requestID: RequestID("\(number)"), channel: channel,
                createdAt: Timestamp(milliseconds: 1), state: .pending)
            return .outbox(.queued(item))
        case 7: return .outbox(.wentOnline(now: Timestamp(milliseconds: 5)))
        case 8: return .outbox(.delivered(id, 7))
        case 9: return .outbox(.wentOffline)
        case 10: return .outbox(.failed(id, .rateLimited, .socket))
        default: return .frame("message", channel: 1)
        }
        return .link(input, entropy: random.next())
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `dropped steps leave the state from which the rest is decided`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var life = SyncReplay()
        var record = SyncRecord(capacity: 50)
        for number in 1...300 {
            let step = Self.randomStep(&random, number, life)
            record.note(step, life.take(step), at: Timestamp(milliseconds: Int64(number)))
        }
        #expect(record.droppedCount == 250)
        #expect(record.entries.map(\.number) == Array(251...300))
        var again = record.base
        for entry in record.entries { #expect(again.take(entry.step) == entry.outcome) }
        #expect(again == life)
    }

    @Test func `a machine decides the same with other names of channels`() {
        var random = SplitMix64(seed: 1)
        var (plain, renamed) = (OutboxMachine(), OutboxMachine())
        let name = { (channel: ChannelURL) in ChannelURL("other \(channel)") }
        for number in 0..<300 {
            guard case .outbox(let input) = Self.randomStep(&random, number) else { continue }
            let effects = plain.handle(input).map { $0.renamed(name) }
            #expect(renamed.handle(input.renamed(name)) == effects)
        }
    }
}
