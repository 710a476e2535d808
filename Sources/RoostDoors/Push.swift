// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostExecutors
package import RoostModel

/// The push token whose registration waits for a connection.
package final class PendingPushToken: Sendable {
    /// The outcome of a registration.
    package enum Outcome: Sendable {
        case registered
        /// There is no connection; the token is kept.
        case waiting
        case failed(RoostError)
    }

    /// A registration; the calls are numbered in their order.
    private struct Registration {
        let token: Data
        let number: Int
    }

    private struct State {
        /// The number of registrations so far.
        var count = 0
        /// The number of the last call whose token is registered.
        var registered = 0
        var waiting: Registration?

        mutating func noteSuccess(_ new: Registration) {
            registered = max(registered, new.number)
            guard let waiting else { return }
            if waiting.number < new.number || waiting.token == new.token { self.waiting = nil }
        }

        mutating func wait(_ new: Registration) {
            if new.number > max(registered, waiting?.number ?? 0) { waiting = new }
        }
    }

    private let state = Guarded(State())

    package init() {}

    /// The token that waits; nil for none.
    package var value: Data? { state.withLock { $0.waiting?.token } }

    /// Returns the callback of a token's registration, which begins now.
    ///
    /// Without a connection, the callback stores the token. Its own registration and that of a
    /// later call remove it. The registration of an earlier call leaves it: the token is newer.
    package func callback(
        of token: Data, _ handler: ((Outcome) -> Void)?
    ) -> Callback<Result<Void, RoostError>> {
        let registration = state.withLock { state in
            state.count += 1
            return Registration(token: token, number: state.count)
        }
        return Callback { [self] result in
            switch result {
            case .success:
                state.withLock { $0.noteSuccess(registration) }
                handler?(.registered)
            case .failure(let error) where error.code == .connectionRequired:
                state.withLock { $0.wait(registration) }
                handler?(.waiting)
            case .failure(let error): handler?(.failed(error))
            }
        }
    }
}

extension Data {
    /// The bytes in lower-case hexadecimal digits, as the server takes a push token.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

extension ChannelURL {
    /// Creates the URL of the channel that a push is about; nil if the push names none.
    package init?(ofPush payload: [AnyHashable: Any]) {
        let content = payload["sendbird"] as? [AnyHashable: Any]
        let channel = content?["channel"] as? [AnyHashable: Any]
        guard let url = channel?["channel_url"] as? String else { return nil }
        self.init(url)
    }
}
