// SPDX-License-Identifier: Apache-2.0

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
    let device: String

    /// Checks the messages of one channel whose send calls returned, in the order of the calls.
    ///
    /// `unsent` are the messages that the device still has to send.
    func check(
        _ sent: [SentMessage], unsent: Set<RequestID>, isMember: Bool, _ log: ServerLog
    ) throws(Violation) {
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
                // A user who has left cannot deliver messages.
                try expect(
                    message.wasCanceled || (!isMember && unsent.contains(message.requestID)),
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
    }
}
