// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel

/// The bounded record of a client's inputs and decisions, in memory.
final class SyncJournal: Sendable {
    private struct State {
        var record = SyncRecord()
        /// The numbers of the channels, in the order of their first occurrence.
        var channels: [ChannelURL: Int] = [:]

        mutating func number(of channel: ChannelURL) -> Int {
            if let known = channels[channel] { return known }
            channels[channel] = channels.count + 1
            return channels.count
        }

        mutating func alias(of channel: ChannelURL) -> ChannelURL {
            ChannelURL(String(number(of: channel)))
        }
    }

    private let state = Guarded(State())
    private let wallTime: @Sendable () -> Timestamp

    init(wallTime: @escaping @Sendable () -> Timestamp) { self.wallTime = wallTime }

    var record: SyncRecord { state.withLock { $0.record } }

    /// Returns the number of a channel; nil if it has not occurred.
    func number(of channel: ChannelURL) -> Int? { state.withLock { $0.channels[channel] } }

    func asked(_ what: String, of channel: ChannelURL? = nil) {
        note(channel, { .asked(what, channel: $0) })
    }

    func came(_ frame: String, about channel: ChannelURL?) {
        note(channel, { .frame(frame, channel: $0) })
    }

    func note(_ step: SyncStep, _ outcome: SyncOutcome = .none) {
        note(nil, { _ in step }, outcome)
    }

    func note(
        _ channel: ChannelURL, _ outcome: SyncOutcome, _ step: (_ channel: Int) -> SyncStep
    ) {
        note(channel, { step($0 ?? 0) }, outcome)
    }

    /// Records an input of the outbox with its effects, with numbers instead of channels.
    func note(_ input: OutboxMachine.Input, _ effects: [OutboxMachine.Effect]) {
        let now = wallTime()
        state.withLock { state in
            let step = SyncStep.outbox(input.renamed { state.alias(of: $0) })
            let effects = effects.map { $0.renamed { state.alias(of: $0) } }
            state.record.note(step, .outbox(effects), at: now)
        }
    }

    private func note(
        _ channel: ChannelURL?, _ step: (Int?) -> SyncStep, _ outcome: SyncOutcome = .none
    ) {
        let now = wallTime()
        state.withLock { state in
            let number = channel.map { state.number(of: $0) }
            state.record.note(step(number), outcome, at: now)
        }
    }
}
