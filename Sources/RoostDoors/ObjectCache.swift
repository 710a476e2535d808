// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel

/// Objects of a list, made once after each change of it.
///
/// A table view reads the list for each of its cells.
package final class ObjectCache<Objects>: Sendable {
    private struct Made {
        let version: Int
        let objects: Objects
    }

    private let last = Guarded<Made?>(nil)

    package init() {}

    /// Returns the objects of a version of the list, which a closure makes at the first reading.
    package func objects(of version: Int, _ make: () -> Objects) -> Objects {
        if let made = last.withLock({ $0 }), made.version == version { return made.objects }
        let objects = make()
        last.withLock { $0 = Made(version: version, objects: objects) }
        return objects
    }
}

/// The messages of a collection of one state of sending.
package enum MessageGroup: Sendable {
    case succeeded
    /// The messages that wait or are being sent.
    case pending
    /// The failed and the canceled messages.
    case failed

    fileprivate func contains(_ message: Message) -> Bool {
        switch message.status {
        case .succeeded: self == .succeeded
        case .pending: self == .pending
        case .failed, .canceled: self == .failed
        }
    }
}

/// Objects of the messages of a collection, by their state of sending.
///
/// Each list is made when it is read: most screens read one of the three.
package final class MessageLists<Object>: Sendable {
    private let succeeded = ObjectCache<[Object]>()
    private let pending = ObjectCache<[Object]>()
    private let failed = ObjectCache<[Object]>()

    package init() {}

    /// Returns objects of one group of a version of the messages.
    package func objects(
        _ group: MessageGroup, of version: Int, _ messages: [Message],
        _ make: ([Message]) -> [Object]
    ) -> [Object] {
        let cache =
            switch group {
            case .succeeded: succeeded
            case .pending: pending
            case .failed: failed
            }
        return cache.objects(of: version) { make(messages.filter(group.contains)) }
    }
}
