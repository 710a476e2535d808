// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// The queue for calls into the app, one call after another.
package struct CallbackQueue: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a queue on one of the app's; a concurrent queue gets one call at a time too.
    ///
    /// Calls by way of two of these values keep their order if the app's queue is the same.
    package init(_ queue: DispatchQueue) {
        // On Linux each reading of `main` is another object.
        if queue.label == DispatchQueue.main.label {
            self = .main
            return
        }
        let serial: DispatchQueue
        if let known = queue.getSpecific(key: Serial.key)?.queue {
            serial = known
        } else {
            serial = DispatchQueue(label: "roost.callbacks", target: queue)
            queue.setSpecific(key: Serial.key, value: Serial(serial))
        }
        self.init { work in serial.async(execute: work) }
    }

    package init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    package static let main = CallbackQueue { work in DispatchQueue.main.async(execute: work) }

    /// Runs work on the queue, never inside this call.
    ///
    /// So no call into the app happens under a lock, and the app may call anything from inside
    /// (scar 138).
    package func async(_ work: @escaping @Sendable () -> Void) { enqueue(work) }
}

/// The serial queue that was made for a queue of the app.
///
/// The serial queue holds the app's queue, so the app's queue holds it weakly.
private final class Serial: Sendable {
    static let key = DispatchSpecificKey<Serial>()

    weak let queue: DispatchQueue?

    init(_ queue: DispatchQueue) { self.queue = queue }
}
