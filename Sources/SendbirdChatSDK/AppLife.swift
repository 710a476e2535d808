// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostDoors
import RoostExecutors

#if canImport(Network)
import Network
#endif

extension SendbirdChat {
    /// Tells the client that the app has come to the foreground or gone to the background.
    ///
    /// In the background the client disconnects after a time that the server sets, 30 s by default;
    /// in the foreground it reconnects at once. Where UIKit exists, the library calls it by
    /// itself.
    public class func appMoved(toForeground isForeground: Bool) {
        door.appMoved(toForeground: isForeground)
    }

    /// Tells the client that a network has come or gone; a new one causes an immediate attempt.
    ///
    /// On Apple platforms the library calls it by itself.
    public class func networkChanged(isUp: Bool) {
        guard own.withLock({ $0.isNetworkAware }) else { return }
        door.networkChanged(isUp: isUp)
    }

    /// Sets whether changes of the network cause an immediate attempt to connect; they do at first.
    ///
    /// If off, the client reconnects at its own times only.
    public class func setNetworkAwarenessReconnection(_ isOn: Bool) {
        own.withLock { $0.isNetworkAware = isOn }
    }
}

/// The observation of the app and its network, where the system reports them.
enum AppLife {
    /// Begins the observation; does nothing from the second call on.
    static func watch() { _ = isWatching }

    /// A constant is initialised once, whichever thread comes first.
    private static let isWatching: Bool = {
        watchScreen()
        watchNetwork()
        return true
    }()

    private static func watchScreen() {
        #if canImport(UIKit)
        // The names are those of UIKit, which a library for extensions must not need.
        let moves = [
            ("UIApplicationDidEnterBackgroundNotification", false),
            ("UIApplicationWillEnterForegroundNotification", true),
        ]
        for (name, isForeground) in moves {
            // The observation lasts as long as the process.
            _ = NotificationCenter.default.addObserver(
                forName: Notification.Name(name), object: nil, queue: nil
            ) { _ in SendbirdChat.appMoved(toForeground: isForeground) }
        }
        #endif
    }

    private static func watchNetwork() {
        #if canImport(Network)
        let monitor = NWPathMonitor()
        // A started monitor keeps itself alive.
        monitor.pathUpdateHandler = { path in
            SendbirdChat.networkChanged(isUp: path.status == .satisfied)
        }
        monitor.start(queue: DispatchQueue(label: "roost.network"))
        #endif
    }
}
