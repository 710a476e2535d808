// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

extension ServerEvent {
    /// The channel of the event; nil if it concerns none.
    package var channelURL: ChannelURL? {
        switch self {
        case .message(let event): event.message.channelURL
        case .edited(let event): event.message.channelURL
        case .deleted(let event): event.channelURL
        case .reaction(let event): event.channelURL
        case .thread(let event): event.channelURL
        case .poll(let event): event.channelURL
        case .read(let event): event.channelURL
        case .delivered(let channel, _): channel
        case .channel(let event): event.channelURL
        case .room(let answer): answer.channelURL
        case .inOpenChannel(let event): event.channelURL
        case .login, .pong, .user, .error, .busy, .expired, .memberCounts, .unknown: nil
        }
    }

    /// The request that the event answers; nil for an event without one.
    package var acknowledges: RequestID? {
        switch self {
        case .message(let event): event.acknowledges
        case .edited(let event): event.acknowledges
        case .read(let event): event.acknowledges
        case .poll(let event): event.acknowledges
        case .room(let answer): answer.acknowledges
        case .inOpenChannel(let event): event.acknowledges
        case .error(_, let requestID): requestID
        default: nil
        }
    }
}
