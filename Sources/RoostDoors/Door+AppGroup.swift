// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Roost

extension Door {
    /// Keeps the cache of later clients in the container of an app group, which the app's
    /// extensions can read.
    ///
    /// The call does nothing where the system has no app groups, or the app is not in the group.
    package func moveCache(toAppGroup group: String) {
        #if canImport(Darwin)
        let container = FileManager.default.containerURL(
            forSecurityApplicationGroupIdentifier: group)
        if let container { moveCache(toContainer: container) }
        #endif
    }

    /// Keeps the cache of later clients in a container; a cache in memory stays there.
    ///
    /// Its files are closed while the app is in the background and makes no call.
    /// Files of an earlier place and the keys of an encrypted cache stay where they are.
    package func moveCache(toContainer container: URL) {
        configure { settings in
            if case .memory = settings.place { return }
            settings.cache = .folder(container.appendingPathComponent("roost").path)
            settings.isShared = true
        }
    }
}
