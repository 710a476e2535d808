// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// The queue for calls into the app, one call after another.
package struct CallbackQueue: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a queue on one of the app's; a concurrent queue gets one call at a time too.
    package init(_ queue: DispatchQueue) {
        let serial = DispatchQueue(label: "roost.callbacks", target: queue)
        enqueue = { work in serial.async(execute: work) }
    }

    package init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    package static let main = CallbackQueue { work in DispatchQueue.main.async(execute: work) }

    /// Runs work on the queue, never before this call returns.
    ///
    /// So no call into the app happens under a lock, and the app may call anything from inside
    /// (scar 138).
    package func async(_ work: @escaping @Sendable () -> Void) { enqueue(work) }
}
