// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// How often the server is told that channels are read: a screen may say so at will (scar 113).
///
/// One mark a second and channel; whatever is wished meanwhile is one more mark, after the second.
package struct ReadMarkMachine: Hashable, Sendable {
    /// How long after one mark the next may be sent.
    package static let pause = Duration.seconds(1)

    package enum Step: Hashable, Sendable {
        /// A mark goes out now; `sent` is to be called with its answer.
        case send
        /// A mark goes out later, by `paused` or `sent`, and answers this wish too.
        case wait
    }

    private struct Place: Hashable {
        var isUnderWay = false
        var isPausing = false
        var isDue = false
    }

    private var places: [ChannelURL: Place] = [:]

    package init() {}

    package mutating func wish(for channel: ChannelURL) -> Step {
        var place = places[channel] ?? Place()
        defer { places[channel] = place }
        guard !place.isUnderWay, !place.isPausing else {
            // The mark on its way may be older than what is on the screen now.
            place.isDue = true
            return .wait
        }
        place = Place(isUnderWay: true, isPausing: true)
        return .send
    }

    /// Whether a mark is to be answered yet.
    package func isUnderWay(to channel: ChannelURL) -> Bool {
        places[channel]?.isUnderWay ?? false
    }

    /// The server has answered, or never will; whether a mark goes out now.
    package mutating func sent(to channel: ChannelURL) -> Bool {
        places[channel]?.isUnderWay = false
        return next(in: channel)
    }

    /// Nothing is left to mark, so whoever waits for one more need not.
    package mutating func settle(_ channel: ChannelURL) { places[channel]?.isDue = false }

    /// The second is over; whether a mark goes out now.
    package mutating func paused(in channel: ChannelURL) -> Bool {
        places[channel]?.isPausing = false
        return next(in: channel)
    }

    private mutating func next(in channel: ChannelURL) -> Bool {
        guard let place = places[channel], !place.isUnderWay, !place.isPausing else {
            return false
        }
        places[channel] = place.isDue ? Place(isUnderWay: true, isPausing: true) : nil
        return place.isDue
    }
}
