// SPDX-License-Identifier: Apache-2.0

/// The work of deliveries.
///
/// Deliveries do not suspend. So a long row of them holds all other work up, and its bytes collect
/// in the queues of sockets whose links could take them. Rows are therefore divided into portions,
/// between which the sockets and other work have their turn.
package struct DeliveryWork {
    /// The recipients who were looked for, and the sockets that got a frame.
    private(set) var recipients = 0
    /// The bytes of the frames, which each socket got once at most.
    private(set) var bytes = 0

    /// Some 20 ms on one core.
    private static let portionRecipients = 2_000
    /// A sixteenth of the default queue of a socket.
    private static let portionBytes = 262_144

    package init() {}

    /// Adds the delivery of a notice.
    package mutating func add(_ notice: Notice, sockets: Int = 0) {
        recipients &+= notice.recipients.count + sockets
        bytes &+= notice.frame.utf8.count
    }

    /// Whether a portion or more was done since an earlier state.
    package func isPortion(since start: DeliveryWork = DeliveryWork()) -> Bool {
        recipients &- start.recipients >= Self.portionRecipients
            || bytes &- start.bytes >= Self.portionBytes
    }
}
