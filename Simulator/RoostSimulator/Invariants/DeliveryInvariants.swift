// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer

/// A message whose send call returned: it must reach the log once.
struct SentMessage {
    let channel: ChannelURL
    let requestID: RequestID
    /// Whether it was resent by hand, after which its place among the others is undefined.
    var wasResent = false
    var wasCanceled = false
}

/// The messages of a device reach the log once, in the order of the calls.
struct DeliveryInvariants {
    /// The right of the device's user to write in a channel.
    enum Access { case none, muted, writing }

    let device: String

    /// Checks the messages of one channel whose send calls returned, in the order of the calls.
    ///
    /// `items` are the messages and changes that the device still has to send.
    func check(
        _ sent: [SentMessage], _ items: [OutboxItem], _ access: Access, _ log: ServerLog
    ) throws(Violation) {
        let unsent = Set(items.map(\.requestID))
        let isMember = access != .none
        let places = Dictionary(
            grouping: log.entries.indices.filter { log.entries[$0].message.requestID != nil },
            by: { log.entries[$0].message.requestID })
        let data = log.entries.map(\.message.data).filter { !$0.isEmpty }
        try expect(Set(data).count == data.count, "\(log.channel) has one request ID twice")
        var last = -1
        for message in sent where message.channel == log.channel {
            let found = places[message.requestID] ?? []
            try expect(
                found.count <= 1, "\(message.requestID) is \(found.count) times in \(log.channel)")
            guard let place = found.first else {
                // A user who has left or is muted cannot deliver messages, and some messages are
                // refused for good, such as a reply to a deleted one. None is lost.
                try expect(
                    message.wasCanceled
                        || unsent.contains(message.requestID)
                            && (access != .writing || message.wasResent),
                    "\(device) sent \(message.requestID) to \(log.channel), which never got it")
                continue
            }
            // A user who has left gets no events.
            try expect(
                !isMember || !unsent.contains(message.requestID),
                "\(device) still has \(message.requestID) to send, which is in \(log.channel)")
            if message.wasResent { continue }
            try expect(
                place > last, "\(device)'s messages are in \(log.channel) in another order")
            last = place
        }
        guard access == .muted else { return }
        for item in items where item.channel == log.channel && item.isMessage {
            try expect(
                item.state == .failed(.muted),
                "\(device)'s user is muted in \(log.channel), but \(item.requestID) is "
                    + "\(item.state)")
        }
    }
}

extension MemoryStorage {
    /// Returns the right of a user to write in a channel at a moment.
    func writing(
        of user: UserID, in channel: ChannelURL, at now: Timestamp
    ) -> DeliveryInvariants.Access {
        guard let access = access(to: channel, of: user), access.state == .joined else {
            return .none
        }
        return access.traits.mute?.isActive(at: now) == true ? .muted : .writing
    }
}

extension OutboxItem {
    fileprivate var isMessage: Bool {
        switch content {
        case .userMessage, .fileMessage: true
        case .change, .draft, .inbox: false
        }
    }
}

extension RoostError.Code {
    fileprivate static let muted = Self.mutedInChannel
}
