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
    /// The app gave no token.
    case failed(RoostError)
    /// The server has refused the user, and no failure was reported for that before.
    case refused(RoostError)
    /// The session has ended.
    case closed
}

/// The outcome of the last request for a token, and the decision on the notices for the delegate.
package struct SessionProgress: Equatable, Sendable {
    private enum Outcome {
        case none
        /// The app has given a token that the server has not accepted yet.
        case renewed
        /// The app has given no token, and the delegate was notified.
        case failed
    }

    /// The code of the error when the app gives no token.
    private let failureCode: RoostError.Code
    private var outcome = Outcome.none

    package init(failureCode: RoostError.Code) { self.failureCode = failureCode }

    /// Records the end of a request.
    ///
    /// - Returns: The token of the next login, nil for none; and the notice of a failure.
    package mutating func take(_ answer: TokenAnswer) -> (token: String?, notice: SessionNotice?) {
        switch answer {
        case .token(let token):
            outcome = token == nil ? .none : .renewed
            return (token, nil)
        case .failure: return fail("The app could not give a new token.")
        case .released: return fail("The app released the request for a new token unanswered.")
        case .late: return fail("The app gave no new token in time.")
        }
    }

    private mutating func fail(_ message: String) -> (token: String?, notice: SessionNotice?) {
        outcome = .failed
        return (nil, .failed(RoostError(failureCode, remedy: .signIn, message: message)))
    }

    /// Returns the notices of a step of the connection, in order.
    package mutating func notices(
        of step: ConnectionStep, _ state: ConnectionState
    ) -> [SessionNotice] {
        switch step {
        case .connected, .regained: return takeOutcome() == .renewed ? [.refreshed] : []
        case .givenUp, .refused:
            let outcome = takeOutcome()
            // The end of the attempts after an outage is not that of the session.
            guard case .refused(let error) = state, error.code.refusesUser else { return [] }
            return outcome == .failed ? [.closed] : [.refused(error), .closed]
        case .lost, .disconnected: return []
        }
    }

    private mutating func takeOutcome() -> Outcome {
        defer { outcome = .none }
        return outcome
    }
}
