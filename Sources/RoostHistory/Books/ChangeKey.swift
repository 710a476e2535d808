// SPDX-License-Identifier: Apache-2.0

/// The changes of one message by one client.
struct ChangeKey: Hashable, Comparable, Sendable {
    var message: Int32
    var client: Int32

    static func < (one: Self, other: Self) -> Bool {
        (one.message, one.client) < (other.message, other.client)
    }
}
