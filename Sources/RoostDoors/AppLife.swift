// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors

#if canImport(Network)
import Network
#endif

/// The observation of the app and its network, where the system reports them.
package final class AppLife: Sendable {
    private let hasBegun = Guarded(false)
    private let moved: @Sendable (_ toForeground: Bool) -> Void
    private let changed: @Sendable (_ isUp: Bool) -> Void

    /// Creates an observation that reports to a door's calls.
    package init(
        moved: @escaping @Sendable (_ toForeground: Bool) -> Void,
        networkChanged changed: @escaping @Sendable (_ isUp: Bool) -> Void
    ) {
        (self.moved, self.changed) = (moved, changed)
    }

    /// Begins the observation, which lasts as long as the process; further calls do nothing.
    package func watch() {
        let isFirst = hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
        guard isFirst else { return }
        watchScreen()
        watchNetwork()
    }

    private func watchScreen() {
        #if canImport(UIKit)
        // A library for extensions must not need the symbols of UIKit or WatchKit, so it spells
        // the names of the notifications. Each system posts those of one of the two.
        let moves = [
            ("UIApplicationDidEnterBackgroundNotification", false),
            ("UIApplicationWillEnterForegroundNotification", true),
            ("WKApplicationDidEnterBackgroundNotification", false),
            ("WKApplicationWillEnterForegroundNotification", true),
        ]
        for (name, isForeground) in moves {
            _ = NotificationCenter.default.addObserver(
                forName: Notification.Name(name), object: nil, queue: nil
            ) { [moved] _ in moved(isForeground) }
        }
        #endif
    }

    private func watchNetwork() {
        #if canImport(Network)
        let monitor = NWPathMonitor()
        // A started monitor keeps itself alive.
        monitor.pathUpdateHandler = { [changed] path in
            changed(path.status == .satisfied)
        }
        monitor.start(queue: DispatchQueue(label: "roost.network"))
        #endif
    }
}
