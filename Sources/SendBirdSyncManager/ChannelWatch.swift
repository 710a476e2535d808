// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostExecutors
import RoostModel
import SendBirdSDK

/// The changes of one channel, beside its messages.
final class ChannelWatch: Sendable {
    let feed = Feed<SBSMMessageCollection, ChannelListDriver.Event>()
    private let watched: WatchedChannel
    private let hasBegun = Guarded(false)

    init(_ channel: GroupChannel) {
        watched = WatchedChannel(SBDMain.door, channel, on: .delegates) { [feed] event in
            feed.post(event, through: SBSMSyncManager.onDelegateQueue)
        }
    }

    /// The channel as it is now, and the moment of this value.
    var channel: (value: GroupChannel, moment: KeptChannels.Moment) { watched.latest }

    /// Sets the receiver of the changes.
    func attach(_ collection: SBSMMessageCollection) {
        feed.attach(collection, while: watched.isForPresentUser) { $0.notify($1) }
    }

    /// Follows the channel from now on; further calls have no effect.
    ///
    /// Before the set-up, or if the database cannot be opened, nothing begins, so that a later call
    /// can begin it.
    func begin() {
        guard SBSMSyncManager.setupError == nil else { return }
        let isNew = hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
        guard isNew else { return }
        SBDMain.door.start { [watched, hasBegun] in
            // The messages arrive even if the channel cannot be followed.
            guard (try? await watched.open()) != nil else {
                return hasBegun.withLock { $0 = false }
            }
            await watched.load()
        }
    }

    func close() {
        feed.close()
        SBDMain.door.start { [watched] in await watched.close() }
    }
}

extension CallbackQueue {
    /// The queue of the sync manager's delegates, as the app has set it at each call.
    static let delegates = CallbackQueue { work in SBSMSyncManager.onDelegateQueue(work) }
}
