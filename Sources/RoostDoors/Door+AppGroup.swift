// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Roost

extension Door {
    /// Moves the cache of later clients into the container of an app group, which the app's
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

    /// Moves the cache of later clients into a container, with the folder of keys beside it; a
    /// cache in memory stays there.
    package func moveCache(toContainer container: URL) {
        configure { settings in
            guard !settings.isInMemory else { return }
            settings.cache = .folder(container.appendingPathComponent("roost").path)
        }
    }
}
