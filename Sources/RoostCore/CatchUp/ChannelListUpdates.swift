// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The updates of the channel list that have not ended.
///
/// A failed update is not repeated while a later one has not ended: both would do the same work, at
/// the expense of the same limit on requests. If the later one ends first, the earlier one goes on,
/// because the later one may have left the walk through the list to it.
package struct ChannelListUpdates: Equatable, Codable, Sendable {
    private struct Update: Equatable, Codable, Sendable {
        let number: Int
        /// The moment of the next attempt; nil if the update does not wait for one.
        var retry: Timestamp?
    }

    /// The updates in the order in which they began.
    private var updates: [Update] = []
    private var lastNumber = 0

    package init() {}

    package var isEmpty: Bool { updates.isEmpty }

    /// The moment at which the last update makes its next attempt; nil if it does not wait.
    package var retry: Timestamp? { updates.last?.retry }

    /// Adds an update, and returns its number.
    mutating func begin() -> Int {
        lastNumber += 1
        updates.append(Update(number: lastNumber))
        return lastNumber
    }

    func hasLater(than number: Int) -> Bool { updates.last.map { $0.number > number } ?? false }

    /// Notes the moment of an update's next attempt, or nil at its beginning.
    mutating func wait(_ number: Int, until retry: Timestamp?) {
        guard let index = updates.firstIndex(where: { $0.number == number }) else { return }
        updates[index].retry = retry
    }

    mutating func end(_ number: Int) { updates.removeAll { $0.number == number } }
}
