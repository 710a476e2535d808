// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// Renaming of channels: the machine only compares their names, so under other names it decides the
// same.

extension OutboxMachine.Input {
    /// Returns the same input with other names of channels; distinct names must stay distinct.
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
    /// Returns the same effect with other names of channels.
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
