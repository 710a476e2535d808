// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel

/// The end of a request for a token.
package enum TokenAnswer: Equatable, Sendable {
    /// A new token, or nil if there is none any more.
    case token(String?)
    /// The app could not fetch a token now.
    case failure
    /// The app has released both closures without a call.
    case released
    /// The time is over.
    case late
}

/// A call of the app's session delegate.
package enum SessionNotice: Equatable, Sendable {
    /// The session goes on with the new token.
    case refreshed
    /// The app gave no token now; the client asks again.
    case failed(RoostError)
    /// The server has refused the user.
    case refused(RoostError)
    /// The session has ended.
    case closed
}

/// The outcome of the last request for a token, and the decision on the notices for the delegate.
package struct SessionProgress: Equatable, Sendable {
    /// The code of the error when the app gives no token.
    private let failureCode: RoostError.Code
    /// Whether the app has given a token that the server has not accepted yet.
    private var hasRenewed = false

    package init(failureCode: RoostError.Code) { self.failureCode = failureCode }

    /// Records the end of a request.
    ///
    /// - Returns: The token of the next login, nil if there is none any more; or the error for the
    ///   delegate, which does not end the session.
    package mutating func take(_ answer: TokenAnswer) -> Result<String?, RoostError> {
        switch answer {
        case .token(let token):
            hasRenewed = token != nil
            return .success(token)
        case .failure: return fail("The app could not give a new token.")
        case .released: return fail("The app released the request for a new token unanswered.")
        case .late: return fail("The app gave no new token in time.")
        }
    }

    private mutating func fail(_ message: String) -> Result<String?, RoostError> {
        hasRenewed = false
        return .failure(RoostError(failureCode, remedy: .retry, message: message))
    }

    /// Returns the notices of a step of the connection, in order.
    package mutating func notices(
        of step: ConnectionStep, _ state: ConnectionState
    ) -> [SessionNotice] {
        switch step {
        case .connected, .regained:
            defer { hasRenewed = false }
            return hasRenewed ? [.refreshed] : []
        case .givenUp, .refused:
            hasRenewed = false
            // The end of the attempts after an outage is not that of the session.
            guard case .refused(let error) = state, error.code.refusesUser else { return [] }
            return [.refused(error), .closed]
        case .lost, .disconnected: return []
        }
    }
}
