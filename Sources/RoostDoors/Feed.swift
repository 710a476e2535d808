// SPDX-License-Identifier: Apache-2.0

import RoostExecutors

/// The delivery of events to an object of the app, on its queue, as long as the object lives.
package final class Feed<Object: AnyObject, News: Sendable>: Sendable {
    private struct State {
        var object: Carried<WeakBox<Object>>?
        var tell: Carried<(Object, News) -> Void>?
    }

    private let state = Guarded(State())

    package init() {}

    package func attach(_ object: Object, _ tell: @escaping (Object, News) -> Void) {
        let (object, tell) = (Carried(WeakBox(object)), Carried(tell))
        state.withLock { state in
            state.object = object
            state.tell = tell
        }
    }

    package func post(_ news: News, on door: Door) {
        post(news, through: door.queue.async)
    }

    package func post(
        _ news: News, through enqueue: (@escaping @Sendable () -> Void) -> Void
    ) {
        // The check is on the queue: an object that was closed meanwhile gets no event.
        enqueue { [self] in
            let (object, tell) = state.withLock { ($0.object, $0.tell) }
            guard let object = object?.value.object, let tell else { return }
            tell.value(object, news)
        }
    }

    package func close() {
        state.withLock { $0 = State() }
    }
}
