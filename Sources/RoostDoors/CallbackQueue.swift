// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// Where an app wants to be called back, one call after the other.
package struct CallbackQueue: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A queue of the app's; a concurrent one gets one call at a time all the same.
    package init(_ queue: DispatchQueue) {
        let serial = DispatchQueue(label: "roost.callbacks", target: queue)
        enqueue = { work in serial.async(execute: work) }
    }

    package init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    package static let main = CallbackQueue { work in DispatchQueue.main.async(execute: work) }

    /// Runs work there later, never before this returns; so nobody is called under a lock, and the app may
    /// call anything from inside (scar 138).
    package func async(_ work: @escaping @Sendable () -> Void) { enqueue(work) }
}
