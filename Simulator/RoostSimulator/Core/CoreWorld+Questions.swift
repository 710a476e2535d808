// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit

// Calls that need the server at once: comparisons, counts, waits and read marks; and the checks of
// comparisons and counts.

extension CoreWorld {
    /// Marks a channel as read, or as unread from a message on.
    func markAtServer(_ device: CoreDevice) {
        let channel = someChannel()
        switch random.pick(3) {
        case 0:
            call(
                "mark \(channel) as read",
                .inTime(InTime(.markAsRead(MarkAsReadCall(channel, awaitingServer: false)))), device
            )
        case 1:
            call(
                "mark \(channel) as read at the server",
                .inTime(InTime(.markAsRead(MarkAsReadCall(channel)))), device)
        default:
            guard let (channel, message) = someShown(device, where: { $0.messageID != nil }),
                let id = message.messageID
            else { return }
            call(
                "mark \(id) as unread",
                .inTime(InTime(.markAsUnread(MarkAsUnread(channel, from: id)))), device)
        }
    }

    func compare(
        _ device: CoreDevice, _ channel: ChannelURL, atMost limit: Int = callLimit
    ) {
        call(
            "compare \(channel)", .comparison(Comparison(channel)), device, atMost: limit,
            isTimed: false)
    }

    private func count(
        _ device: CoreDevice, _ channel: ChannelURL, atMost limit: Int = callLimit
    ) {
        call(
            "count the gaps of \(channel)",
            .inTime(InTime(.holeCounting(HoleCounting(channel)))), device, atMost: limit)
    }

    /// Asks for a size, for refusals, or for the server's first page of a timeline.
    func ask(_ device: CoreDevice) {
        let channel = someChannel()
        switch random.pick(4) {
        case 0: count(device, channel)
        case 1:
            call(
                "estimate a download of \(channel)",
                .inTime(InTime(.downloadEstimating(DownloadEstimating(channel)))), device)
        case 2:
            call(
                "read the refusals of \(channel)",
                .outbox(.refusals(OutboxRefusals(in: channel))), device)
        default:
            guard let id = someTimeline(device) else { return }
            call(
                "wait for the server in \(id.number)",
                .inTime(InTime(.timelineArrival(TimelineArrival(id)))), device)
        }
    }

    /// Checks that the counts of missing messages are the log's, and that after a comparison the
    /// cached messages are as in the log.
    func checkAnswers(
        to device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        let joined = channels.filter { isMember(device.user, of: $0, on: storage) }
        for channel in joined { count(device, channel, atMost: .max) }
        try pass(.seconds(20), on: storage)
        for channel in joined {
            try invariants(of: device).checkSizes(
                device.state.session?.holeSizes[channel] ?? [:],
                log(of: channel, for: device.user, on: storage))
            compare(device, channel, atMost: .max)
        }
        try pass(.seconds(60), on: storage)
        // An answer's time tells its age, so a change after the clock went back may seem old.
        guard !hasClockGoneBack else { return }
        for channel in joined {
            guard let held = device.store.history(of: channel) else { continue }
            try invariants(of: device).checkCompared(
                held, log(of: channel, for: device.user, on: storage))
        }
    }
}
