// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The limit on read marks: an app may mark channels as read at any rate (scar 113).
///
/// One mark per second and channel is sent; all calls meanwhile are one more mark, after the
/// second.
package struct ReadMarkMachine: Equatable, Codable, Sendable {
    /// The time between two marks.
    package static let pause = Duration.seconds(1)

    private struct Place: Hashable, Codable {
        var isUnderWay = false
        var isPausing = false
        var isDue = false
    }

    private var places: [ChannelURL: Place] = [:]

    package init() {}

    /// Notes a call; returns whether a mark is sent now, so that `sent` is called with its answer.
    ///
    /// Otherwise a mark is sent later, by `paused` or `sent`, and answers this call too.
    package mutating func wish(for channel: ChannelURL) -> Bool {
        var place = places[channel] ?? Place()
        defer { places[channel] = place }
        guard !place.isUnderWay, !place.isPausing else {
            // The mark in flight may be older than the messages on the screen.
            place.isDue = true
            return false
        }
        place = Place(isUnderWay: true, isPausing: true)
        return true
    }

    /// Returns whether a mark is in flight.
    package func isUnderWay(to channel: ChannelURL) -> Bool {
        places[channel]?.isUnderWay ?? false
    }

    /// Notes the answer of the server or its absence; returns whether a mark is sent now.
    package mutating func sent(to channel: ChannelURL) -> Bool {
        places[channel]?.isUnderWay = false
        return next(in: channel)
    }

    /// Notes that no message is left to mark, so no further mark is due.
    package mutating func settle(_ channel: ChannelURL) { places[channel]?.isDue = false }

    /// Notes the end of the second; returns whether a mark is sent now.
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
