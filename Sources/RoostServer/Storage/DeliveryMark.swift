// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A new time through which a user has received a channel's messages.
package struct DeliveryMark: Hashable, Sendable {
    package let channel: ChannelURL
    package let user: UserID
    package let moment: Timestamp
    /// The place of the received message; a stored mark there or later stays.
    package let place: Timestamp

    package init(channel: ChannelURL, user: UserID, moment: Timestamp, place: Timestamp) {
        self.channel = channel
        self.user = user
        self.moment = moment
        self.place = place
    }
}

extension ChannelStorage {
    /// Moves one delivery mark.
    ///
    /// - Returns: Whether the mark has moved.
    @discardableResult
    package func markDelivered(
        _ url: ChannelURL, to id: UserID, at moment: Timestamp, unlessThrough place: Timestamp
    ) async throws(StorageError) -> Bool {
        let mark = DeliveryMark(channel: url, user: id, moment: moment, place: place)
        return try await !markDelivered([mark]).isEmpty
    }
}
