// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
import RoostModel

/// The receiver of changes of the session, whose token may expire.
public protocol SBDSessionDelegate: AnyObject {
    /// The token has expired: fetch a new one, and pass it to the first closure, or nil if there is
    /// none any more; call the second one if it cannot be fetched now.
    ///
    /// If neither is called and both are released, that counts as a failure.
    func sessionTokenDidRequire(
        successCompletion success: @escaping (String?) -> Void,
        failCompletion fail: @escaping () -> Void)
    /// The session has ended for good: log the user in again.
    func sessionWasClosed()
    /// The session goes on with the new token.
    func sessionWasRefreshed()
    /// The session could not be refreshed.
    func sessionDidHaveError(_ error: SBDError)
    /// The token has expired; called before a new one is requested.
    func sessionWasExpired()
}

extension SBDSessionDelegate {
    public func sessionWasRefreshed() {}
    public func sessionDidHaveError(_ error: SBDError) {}
    public func sessionWasExpired() {}
}

extension SBDMain {
    private struct Session: Sendable {
        var delegate: Carried<WeakBox<AnyObject>>?
        /// Whether the app has passed a new token that no login has proved yet.
        var isRefreshing = false
    }

    private static let session = Guarded(Session())

    /// Sets the receiver of changes of the session, held weakly.
    public class func setSessionDelegate(_ delegate: (any SBDSessionDelegate)?) {
        listen()
        session.withLock { $0 = Session(delegate: Carried(WeakBox(delegate))) }
    }

    private class var sessionDelegate: (any SBDSessionDelegate)? {
        session.withLock { $0.delegate }?.value.object as? any SBDSessionDelegate
    }

    /// Asks the delegate for a token, on the app's queue; nil without a delegate.
    class func requestToken() async -> String? {
        let answer: TokenRequest.Answer = await withCheckedContinuation { continuation in
            let request = TokenRequest(continuation)
            door.queue.async {
                guard let delegate = sessionDelegate else { return request.answer(.token(nil)) }
                delegate.sessionWasExpired()
                delegate.sessionTokenDidRequire(
                    successCompletion: { request.answer(.token($0)) },
                    failCompletion: { request.answer(.failure) })
            }
        }
        switch answer {
        case .token(let token):
            session.withLock { $0.isRefreshing = token != nil }
            return token
        case .failure:
            door.queue.async {
                let error = RoostError(
                    .sessionKeyExpired, remedy: .signIn, message: "The app has no new token.")
                sessionDelegate?.sessionDidHaveError(SBDError(error))
            }
            return nil
        }
    }

    /// Reports what a step of the connection means for the session; called on the app's queue.
    class func notifySession(_ step: ConnectionStep, _ state: ConnectionState) {
        switch step {
        case .connected, .regained:
            let isRefreshed = session.withLock { session in
                defer { session.isRefreshing = false }
                return session.isRefreshing
            }
            if isRefreshed { sessionDelegate?.sessionWasRefreshed() }
        case .givenUp:
            // The end of the attempts after an outage is not that of the session.
            guard case .refused(let error) = state, error.code.refusesUser else { return }
            sessionDelegate?.sessionWasClosed()
        case .lost, .disconnected: break
        }
    }
}

/// A request for a token, which is answered once: by the app, or as failed when the app has
/// released it.
private final class TokenRequest: Sendable {
    enum Answer: Sendable {
        case token(String?)
        case failure
    }

    private let continuation: Guarded<CheckedContinuation<Answer, Never>?>

    init(_ continuation: CheckedContinuation<Answer, Never>) {
        self.continuation = Guarded(continuation)
    }

    deinit { answer(.failure) }

    func answer(_ answer: Answer) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: answer)
    }
}
