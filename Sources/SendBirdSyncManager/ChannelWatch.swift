// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostExecutors
import RoostModel
import SendBirdSDK

/// The changes of one channel, beside its messages.
final class ChannelWatch: Sendable {
    let feed = Feed<SBSMMessageCollection, ListDiff<GroupChannel>>()
    private let driver: ChannelListDriver
    private let hasBegun = Guarded(false)

    init(_ channel: ChannelURL) {
        driver = ChannelListDriver(SBDMain.door, .only(channel)) { [feed] event in
            feed.post(event.change, through: SBSMSyncManager.onDelegateQueue)
        }
    }

    /// Sets the receiver of the changes.
    func attach(_ collection: SBSMMessageCollection) {
        feed.attach(collection, while: driver.isForPresentUser) { $0.notify($1) }
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
        SBDMain.door.start { [driver, hasBegun] in
            // The messages arrive even if the channel cannot be followed.
            guard (try? await driver.open()) != nil else { return hasBegun.withLock { $0 = false } }
            await driver.load { _ in }
        }
    }

    func close() {
        feed.close()
        SBDMain.door.start { [driver] in await driver.close() }
    }
}
