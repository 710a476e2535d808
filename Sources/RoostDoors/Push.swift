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

    private let token = Guarded<Data?>(nil)

    package init() {}

    /// The token that waits; nil for none.
    package var value: Data? { token.withLock { $0 } }

    /// Returns the callback of a token's registration, which keeps a token without a connection
    /// until that token is registered.
    package func callback(
        of token: Data, _ handler: ((Outcome) -> Void)?
    ) -> Callback<Result<Void, RoostError>> {
        Callback { result in
            switch result {
            case .success:
                self.token.withLock { if $0 == token { $0 = nil } }
                handler?(.registered)
            case .failure(let error) where error.code == .connectionRequired:
                self.token.withLock { $0 = token }
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
