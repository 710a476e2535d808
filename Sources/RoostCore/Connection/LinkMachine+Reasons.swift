// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension LinkMachine {
    /// The reason why the link stopped or failed.
    package struct Refusal: Equatable, Codable, Sendable {
        package let code: RoostError.Code
        package internal(set) var message: String
        /// Whether the link has stopped; otherwise it retries by itself.
        package var isFinal = false

        package init(code: RoostError.Code, message: String) {
            self.code = code
            self.message = message
        }

        /// The app could not say in time whether the user has another token.
        static let tokenOverdue = Refusal(
            code: .networkError,
            message: "The app's source of tokens failed or did not answer; it is asked again.")

        var final: Refusal {
            var refusal = self
            refusal.isFinal = true
            return refusal
        }
    }

    /// The answer of the app's source of tokens.
    package enum TokenAnswer: Equatable, Codable, Sendable {
        /// There is a token for the next login.
        case given
        /// The user has no token any more.
        case denied
        /// The source could not find out, as without a connection to the app's own server.
        case failed
    }

    /// The reason of a socket's end.
    package enum Loss: Equatable, Codable, Sendable {
        /// There was no way to the server.
        case unreachable(String)
        /// The server, or a proxy before it, opened no socket.
        case notOpened(String)
        /// The open socket broke or was closed.
        case closed
        /// The server's certificate is not trusted, so a retry cannot succeed (scar 39).
        case untrusted(String)
        /// The address is unusable.
        case unusable(String)
    }
}

extension LinkMachine.Loss {
    /// The same reason as an error of the protocol (5.3).
    package var refusal: LinkMachine.Refusal {
        switch self {
        case .unreachable(let message), .notOpened(let message):
            .init(code: .networkError, message: message)
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
        case .applicationNotFound, .untrustedServer: true
        default: refusesUser
        }
    }
}
