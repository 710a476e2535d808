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
        case .login, .pong, .user, .error, .busy, .expired, .memberCounts, .unknown: nil
        }
    }

    /// The name of the event's kind in the journal.
    package var name: String {
        switch self {
        case .login: "login"
        case .pong: "pong"
        case .message: "message"
        case .edited: "edited"
        case .deleted: "deleted"
        case .read: "read"
        case .delivered: "delivered"
        case .channel(let event): "channel \(event.category)"
        case .user(let category, _): "user \(category)"
        case .error(let error, _): "error \(error.code)"
        case .busy: "busy"
        case .expired: "expired"
        case .memberCounts: "member counts"
        case .reaction: "reaction"
        case .thread: "thread"
        case .poll: "poll"
        case .unknown: "unknown"
        }
    }

    /// The request that the event answers; nil for an event without one.
    package var acknowledges: RequestID? {
        switch self {
        case .message(let event): event.acknowledges
        case .edited(let event): event.acknowledges
        case .read(let event): event.acknowledges
        case .poll(let event): event.acknowledges
        case .error(_, let requestID): requestID
        default: nil
        }
    }
}
