// SPDX-License-Identifier: Apache-2.0

import RoostExecutors

/// The delivery of events to an object of the app, on its queue, as long as the object lives.
///
/// One event may be several calls of a delegate, and the app may close the object in the first one:
/// the object checks `isOpen` before each call.
package final class Feed<Object: AnyObject, Event: Sendable>: Sendable {
    private struct State {
        var object: Carried<WeakBox<Object>>?
        var isWanted: (@Sendable () -> Bool)?
        var notify: Carried<(Object, Event) -> Void>?
    }

    private let state = Guarded(State())

    package init() {}

    /// Whether the object gets events; false after `close()`.
    package var isOpen: Bool { state.withLock { $0.notify != nil } }

    /// Begins the delivery.
    ///
    /// - Parameters:
    ///   - object: The receiver, held weakly.
    ///   - isWanted: Whether the events still concern the app, such as those of its present user;
    ///     asked on the queue, just before each delivery (scar 34).
    ///   - notify: The delivery of one event.
    package func attach(
        _ object: Object, while isWanted: @escaping @Sendable () -> Bool,
        _ notify: @escaping (Object, Event) -> Void
    ) {
        let (object, notify) = (Carried(WeakBox(object)), Carried(notify))
        state.withLock { state in
            state.object = object
            state.isWanted = isWanted
            state.notify = notify
        }
    }

    package func post(_ event: Event, on door: Door) {
        post(event, through: door.queue.async)
    }

    package func post(
        _ event: Event, through enqueue: (@escaping @Sendable () -> Void) -> Void
    ) {
        // The check is on the queue: an object that was closed meanwhile gets no event.
        enqueue { [self] in
            let state = state.withLock { $0 }
            guard let object = state.object?.value.object, let notify = state.notify,
                state.isWanted?() == true
            else { return }
            notify.value(object, event)
        }
    }

    package func close() {
        state.withLock { $0 = State() }
    }
}
