// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

// The error that a caller gets for a refusal of the server.

extension RoostError {
    package init(_ failure: APIFailure) {
        switch failure {
        case .refused(let error, let status):
            // Two kinds of status pass by themselves, whatever the code.
            let passes = status == 429 || status >= 500
            self.init(
                error.code, remedy: passes ? .retry : Self.remedy(of: error.code),
                message: error.message, underlying: failure)
        case .unreadable(let error):
            self.init(
                .malformedData, remedy: .retry,
                message: "The server's answer could not be read: \(error)", underlying: failure)
        }
    }

    package init(_ error: ServerError) {
        self.init(
            error.code, remedy: Self.remedy(of: error.code), message: error.message,
            underlying: error)
    }

    package static func remedy(of code: Code) -> Remedy {
        switch code {
        case .tokenInvalid, .userDeactivated, .userNotFound, .sessionRevoked: .signIn
        case .applicationNotFound: .correctInput
        case .networkError, .socketClosed, .socketFailed, .connectionRequired, .loginTimeout,
            .ackTimeout, .rateLimited, .tooManyMessages, .internalServerError, .delayedConnecting,
            .sessionKeyExpired, .sessionKeyNotFound:
            .retry
        case .untrustedServer: .none
        default: .correctInput
        }
    }
}
