// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel

/// The reader of the user's channels, page by page, in step with the server.
package final class ChannelListReader: Sendable {
    private struct State {
        /// The list, from the first page on.
        var driver: ChannelListDriver?
        var isLoading = false
    }

    private let door: Door
    private let state = Guarded(State())

    package init(_ door: Door) { self.door = door }

    deinit {
        guard let driver = state.withLock({ $0.driver }) else { return }
        door.start { await driver.close() }
    }

    /// Whether another page may follow; true before the first one.
    package var hasNext: Bool { state.withLock { $0.driver }?.view.hasMore ?? true }
    package var isLoading: Bool { state.withLock { $0.isLoading } }

    /// Loads the next channels; without a connection those of the cache.
    ///
    /// - Parameters:
    ///   - query: The selection and order of the list; that of the first page counts.
    ///   - callback: The receiver of the page, or of `.queryInProgress` while another is loading.
    package func load(
        _ query: ChannelListQuery, then callback: Callback<Result<[GroupChannel], RoostError>>
    ) {
        guard let driver = begin(query) else { return door.notify(callback, .failure(.underWay)) }
        // The reader lives until the answer, even if the app releases its query at once.
        door.start { [self] in
            await driver.load { [self] result in
                state.withLock { $0.isLoading = false }
                door.notify(callback, result.map(\.channels))
            }
        }
    }

    /// Returns the list for a page; nil while another page is loading.
    private func begin(_ query: ChannelListQuery) -> ChannelListDriver? {
        state.withLock { state in
            guard !state.isLoading else { return nil }
            let driver = state.driver ?? ChannelListDriver(door, query)
            (state.driver, state.isLoading) = (driver, true)
            return driver
        }
    }
}
