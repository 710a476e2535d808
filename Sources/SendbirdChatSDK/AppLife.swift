// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostExecutors

extension SendbirdChat {
    /// Tells the client that the app has come to the foreground or gone to the background.
    ///
    /// In the background the client disconnects after a time that the server sets, 30 s by default;
    /// in the foreground it reconnects at once. On Apple platforms but macOS the library
    /// calls it by itself.
    public class func appMoved(toForeground isForeground: Bool) {
        door.appMoved(toForeground: isForeground)
    }

    /// Tells the client that a network has come or gone; a new one causes an immediate attempt.
    ///
    /// On Apple platforms the library calls it by itself.
    public class func networkChanged(isUp: Bool) {
        // A loss alone would end all attempts.
        guard isUp || own.withLock({ $0.isNetworkAware }) else { return }
        door.networkChanged(isUp: isUp)
    }

    /// Sets whether changes of the network cause an immediate attempt to connect; they do at first.
    ///
    /// If off, the client keeps trying at its own times without a network too.
    public class func setNetworkAwarenessReconnection(_ isOn: Bool) {
        own.withLock { $0.isNetworkAware = isOn }
        if !isOn { door.networkChanged(isUp: true) }
    }
}
