// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostExecutors
package import RoostModel

/// The reader of a list, page by page, each of which says where the next one starts.
package final class PositionReader<Element: Sendable, Position: Sendable>: Sendable {
    /// Some elements and the start of the next page; nil behind the last one.
    package typealias Result = (elements: [Element], next: Position?)

    private struct State {
        /// The user of the first page; nil before it.
        var account: UserID?
        var position: Position?
        var hasNext = true
        var isLoading = false
    }

    private let door: Door
    private let state = Guarded(State())

    package init(_ door: Door) { self.door = door }

    /// Whether another page may follow; true before the first one.
    package var hasNext: Bool { state.withLock { $0.hasNext } }
    package var isLoading: Bool { state.withLock { $0.isLoading } }

    /// Loads the next page; an empty one behind the last.
    ///
    /// - Parameters:
    ///   - callback: The receiver of the page; of `.queryInProgress` while another is loading, and
    ///     of `.connectionCanceled` if another user has logged in since the first page.
    ///   - fetch: Asks a client for the page at a position; nil is the first page's.
    package func load(
        then callback: Callback<Swift.Result<[Element], RoostError>>,
        _ fetch: @escaping @Sendable (ChatClient, Position?) async throws(RoostError) -> Result
    ) {
        let before = state.withLock { state in
            defer { state.isLoading = true }
            return state
        }
        guard !before.isLoading else { return door.notify(callback, .failure(.underWay)) }
        let account = before.account ?? door.account
        let current = door.clientForCall(of: account)
        door.start { [self] in
            var result = Swift.Result<[Element], RoostError>.success([])
            var next = before
            do throws(RoostError) {
                if before.hasNext {
                    let client = try await current.opened().client
                    let page = try await fetch(client, before.position)
                    next.account = account
                    (next.position, next.hasNext) = (page.next, page.next != nil)
                    result = .success(page.elements)
                }
            } catch {
                result = .failure(error)
            }
            state.withLock { [next] in $0 = next }
            door.notify(callback, result)
        }
    }
}

/// The reader of a list that only the server holds, page by page.
package final class PageReader<Element: Hashable & Sendable>: Sendable {
    private let reader: PositionReader<Element, String>

    package init(_ door: Door) { reader = PositionReader(door) }

    /// Whether another page may follow; true before the first one.
    package var hasNext: Bool { reader.hasNext }
    package var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    ///
    /// - Parameters:
    ///   - callback: The receiver of the page, or of `.queryInProgress` while another is loading.
    ///   - fetch: Asks a client for the page of a token; nil is the first page's.
    package func load(
        then callback: Callback<Result<[Element], RoostError>>,
        _ fetch: @escaping @Sendable (ChatClient, String?) async throws(RoostError) -> Page<Element>
    ) {
        reader.load(then: callback) { client, token throws(RoostError) in
            let page = try await fetch(client, token)
            return (page.elements, page.next)
        }
    }
}
