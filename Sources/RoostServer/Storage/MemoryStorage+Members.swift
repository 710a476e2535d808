// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension MemoryStorage {
    package func forgetHistory(
        of url: ChannelURL, through end: Timestamp, now: Timestamp
    ) -> Bool {
        guard let channel = channels[url] else { return false }
        for id in channel.members {
            guard var membership = channel.memberships[id] else { continue }
            membership.traits.messageOffset = max(membership.traits.messageOffset ?? end, end)
            membership.lastRead = max(membership.lastRead ?? end, end)
            channel.memberships[id] = membership
        }
        channel.change = nextChange(now)
        return true
    }
}
