// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostExecutors
package import RoostModel

/// A closure that the app wants called on its own queue; nil if it does not.
package struct Callback<Value>: Sendable {
    let call: Carried<(Value) -> Void>?

    package init(_ call: ((Value) -> Void)?) { self.call = call.map { Carried($0) } }

    package static var none: Callback { Callback(nil) }

    /// Calls the closure by way of a queue.
    package func post(
        _ value: Value, through enqueue: (@escaping @Sendable () -> Void) -> Void
    ) where Value: Sendable {
        guard let call else { return }
        enqueue { call.value(value) }
    }
}

// MARK: - Handlers of the old libraries, with an optional value and an optional error

extension Callback {
    /// Returns a handler that gets an object made of a value, or an error.
    package static func answer<Answer, Object, Failure>(
        _ handler: ((Object?, Failure?) -> Void)?,
        _ make: @escaping (Answer) -> Object, orElse fail: @escaping (RoostError) -> Failure
    ) -> Self where Value == Result<Answer, RoostError> {
        Callback(
            handler.map { handler in
                { result in
                    switch result {
                    case .success(let value): handler(make(value), nil)
                    case .failure(let error): handler(nil, fail(error))
                    }
                }
            })
    }

    /// Returns a handler that gets nil or an error.
    package static func done<Failure>(
        _ handler: ((Failure?) -> Void)?, orElse fail: @escaping (RoostError) -> Failure
    ) -> Self where Value == Result<Void, RoostError> {
        .answer(
            handler.map { handler in { (_: Void?, error) in handler(error) } }, { $0 }, orElse: fail
        )
    }

    /// Returns a handler that gets a message, and an error as well if it was not sent.
    package static func sent<Object, Failure>(
        _ handler: ((Object?, Failure?) -> Void)?,
        _ make: @escaping (Message) -> Object, orElse fail: @escaping (RoostError) -> Failure
    ) -> Self where Value == (message: Message, error: RoostError?) {
        Callback(
            handler.map { handler in
                { outcome in handler(make(outcome.message), outcome.error.map(fail)) }
            })
    }

    /// Returns a handler that gets a page of a change log, or an error.
    package static func changes<Item, ID, Object, Name, Failure>(
        _ handler: (([Object]?, [Name]?, Bool, String?, Failure?) -> Void)?,
        _ make: @escaping (Item) -> Object, _ name: @escaping (ID) -> Name,
        orElse fail: @escaping (RoostError) -> Failure
    ) -> Self where Value == Result<ChangeLog<Item, ID>, RoostError> {
        Callback(
            handler.map { handler in
                { result in
                    switch result {
                    case .success(let log):
                        handler(
                            log.updated.map(make), log.deleted.map(name), log.hasMore, log.token,
                            nil)
                    case .failure(let error): handler(nil, nil, false, nil, fail(error))
                    }
                }
            })
    }
}

extension ChangeLogStart {
    /// Creates a start from the token of an earlier page; nil starts at the very beginning.
    package init(token: String?) {
        self = token.map { .token($0) } ?? .moment(Timestamp(milliseconds: 1))
    }
}
