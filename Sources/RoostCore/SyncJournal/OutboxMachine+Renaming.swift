// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The machine tells channels apart and reads nothing into their names: under other names it decides the
// same.

extension OutboxMachine.Input {
    /// The same input about channels of other names; different ones must stay different.
    package func renamed(_ name: (ChannelURL) -> ChannelURL) -> Self {
        switch self {
        case .queued(let item): .queued(item.renamed(name))
        case .announced(let id, let lane): .announced(id, lane.renamed(name))
        case .abandoned(let id, let lane): .abandoned(id, lane.renamed(name))
        case .revised(let item, let isMoved): .revised(item.renamed(name), isMoved: isMoved)
        case .hold(let channel): .hold(name(channel))
        case .release(let channel): .release(name(channel))
        case .rested(let lane): .rested(lane.renamed(name))
        case .wentOnline, .wentOffline, .left, .delivered, .failed, .ackTimedOut, .retried,
            .canceled:
            self
        }
    }
}

extension OutboxMachine.Effect {
    /// The same effect on channels of other names.
    package func renamed(_ name: (ChannelURL) -> ChannelURL) -> Self {
        guard case .armRest(let lane, let duration) = self else { return self }
        return .armRest(lane.renamed(name), duration)
    }
}

extension OutboxMachine.Item {
    fileprivate func renamed(_ name: (ChannelURL) -> ChannelURL) -> Self {
        var item = self
        item.channel = name(channel)
        return item
    }
}

extension OutboxMachine.Lane {
    fileprivate func renamed(_ name: (ChannelURL) -> ChannelURL) -> Self {
        var lane = self
        lane.channel = name(channel)
        return lane
    }
}
