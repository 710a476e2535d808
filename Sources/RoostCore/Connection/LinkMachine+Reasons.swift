// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension LinkMachine.Loss {
    /// The same reason as an error of the protocol (5.3).
    package var refusal: LinkMachine.Refusal {
        switch self {
        case .unreachable(let message): .init(code: .networkError, message: message)
        case .closed: .init(code: .socketClosed, message: "The connection was closed.")
        case .untrusted(let message): .init(code: .untrustedServer, message: message)
        case .unusable(let message): .init(code: .invalidURL, message: message)
        }
    }
}

extension RoostError.Code {
    /// Whether the same credentials can never log in again (`docs/protocol` 2.11, 5.4).
    package var endsSession: Bool {
        switch self {
        case .userDeactivated, .userNotFound, .tokenInvalid, .sessionRevoked,
            .applicationNotFound, .untrustedServer:
            true
        default: false
        }
    }
}
