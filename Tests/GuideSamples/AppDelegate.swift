// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The samples of the sync manager's guide on launching and connecting, line for line.
// docs/guide-samples.md lists the lines that are not the guide's.

// UIKit imports it in an app.
import Foundation
import SendBirdSyncManager

final class AppDelegate: SBDConnectionDelegate {
    let userId: String
    var connected: (Bool) -> Void

    init(userId: String, connected: @escaping (Bool) -> Void) {
        self.userId = userId
        self.connected = connected
    }

    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {

        // after getting user's ID or login
        SBSMSyncManager.setup(withUserId: userId)
        return true  // added
    }

    func connect() {
        // Request Connect to Sendbird
        SBDMain.connect(withUserId: userId) { (user, error) in
            if let theError: NSError = error {
                self.connected(theError.code == 0)  // added
                return
            }

            let manager: SBSMSyncManager = SBSMSyncManager()
            manager.resumeSynchronize()
            self.connected(true)  // added
        }
    }

    // Sendbird Connection Delegate
    func didSucceedReconnection() {
        let manager: SBSMSyncManager = SBSMSyncManager()
        manager.resumeSynchronize()
    }

    func pause() {
        let manager: SBSMSyncManager = SBSMSyncManager()
        manager.pauseSynchronize()
    }

    func disconnect() {
        SBDMain.disconnect {

            // clear cache
            SBSMSyncManager().clearCache()

            // stop synchronizing
            SBSMSyncManager().pauseSynchronize()
            self.connected(false)  // added
        }
    }
}
