// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The event of a block between two users that begins or ends (USEV, `docs/protocol` 2.9).
package struct BlockEvent: Equatable, Codable, Sendable {
    package var isBlocked: Bool
    package var blocker: User
    package var blockee: User

    /// Decodes the data of a user event; nil for an event of another category.
    package init?(category: Int, data: String) {
        guard [20_000, 20_001].contains(category) else { return nil }
        var blocker: User?
        var blockee: User?
        do throws(WireError) {
            var reader = try JSONReader(bytes: Array(data.utf8))
            try reader.readObject { name, reader throws(WireError) in
                switch name {
                case "blocker": blocker = try reader.readUserIfPresent()
                case "blockee": blockee = try reader.readUserIfPresent()
                default: try reader.skipValue()
                }
            }
        } catch {
            return nil
        }
        guard let blocker, let blockee else { return nil }
        isBlocked = category == 20_001
        self.blocker = blocker
        self.blockee = blockee
    }
}
