// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Losses of the cache while it is in use: the open collections fetch the lost data again.

extension SyncState {
    /// Notes that some messages of a channel are gone from the cache.
    mutating func noteLoss(in channel: ChannelURL) {
        for id in timelines.ids(of: channel) { satisfy(.reread, of: id) }
        if session != nil { catchUp(channel, .ifNeeded) }
        lookForMessages(in: channel)
    }

    /// Notes that the cache was rebuilt from its intact data: the lost data may be of this
    /// connection.
    mutating func noteRepair() {
        // The cursor may be lost, too: a page that is on its way is stored without it.
        beginRewinding([.channelChanges])
        endRewinding([.channelChanges])
        guard session != nil else { return }
        session?.loseEnds()
        for channel in timelines.channels { catchUp(channel, .anyway) }
        catchUpChannels()
        lookForMessages(in: nil)
    }

    /// Notes that the messages of a channel were removed from the cache.
    mutating func noteClearing(of channel: ChannelURL) {
        for id in timelines.ids(of: channel) { synchronizeLater(id) }
    }

    /// Notes that everything was removed: open collections fill again as if they had just been
    /// opened.
    mutating func noteClearing() {
        for id in lists.ids {
            lists[id]?.beginAnew()
            reread(id)
        }
        for channel in timelines.channels { noteClearing(of: channel) }
        if session != nil { catchUpChannels() }
    }
}
