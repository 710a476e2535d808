// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
import RoostModel

/// The receiver of requests for a new token, and of the end of the session.
public protocol SessionDelegate: AnyObject {
    /// The token has expired; the app fetches another and calls one of the closures.
    ///
    /// `success(nil)` ends the session. The client waits for 60 s, or as long as
    /// `SendbirdChat.setSessionTokenRefreshTimeout(_:)` says.
    func sessionTokenDidRequire(
        successCompletion success: @escaping (String?) -> Void,
        failCompletion fail: @escaping () -> Void)
    /// The session has ended; the user must log in again.
    func sessionWasClosed()
    /// The session goes on with a new token.
    func sessionWasRefreshed()
    /// The session could not be renewed.
    func sessionDidHaveError(_ error: SBError)
}

extension SessionDelegate {
    public func sessionWasRefreshed() {}
    public func sessionDidHaveError(_ error: SBError) {}
}

extension SendbirdChat {
    /// Sets the delegate of the session; set it before connecting.
    ///
    /// The delegate is held weakly.
    public class func setSessionDelegate(_ delegate: any SessionDelegate) {
        listen()
        SessionRenewal.delegates.add(delegate, "session")
    }

    /// Removes the delegate of the session.
    public class func removeSessionDelegate() { SessionRenewal.delegates.removeAll() }

    /// Sets how many seconds the client waits for a new token: 60 at first, 1,800 at most.
    public class func setSessionTokenRefreshTimeout(_ timeout: Int) {
        own.withLock {
            $0.tokenPatience = min(max(timeout, 1), SessionRenewal.longestPatience)
        }
    }
}

/// The renewal of the session's token by the app.
enum SessionRenewal {
    private enum Outcome {
        case none
        /// The app has given a token that the server has not accepted yet.
        case renewed
        /// The app has given no token, and the delegate knows.
        case failed
    }

    static let delegates = DelegateList()
    /// The greatest number of seconds to wait for the app's answer.
    static let longestPatience = 1_800
    /// The outcome of the last request for a token.
    private static let outcome = Guarded(Outcome.none)

    /// Asks the app for a token; nil if it gives none in time.
    static func token() async -> String? {
        let answer = Guarded<CheckedContinuation<String?, Never>?>(nil)
        @Sendable func finish(_ token: String?, _ failure: String?) {
            let waiting = answer.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            // The app may call both closures, or one of them late.
            guard let waiting else { return }
            outcome.withLock { $0 = token != nil ? .renewed : failure != nil ? .failed : .none }
            if let failure { report(RoostError(.tokenInvalid, remedy: .signIn, message: failure)) }
            waiting.resume(returning: token)
        }
        let door = SendbirdChat.door
        let (clock, patience) = (door.world.clock, SendbirdChat.own.withLock { $0.tokenPatience })
        return await withCheckedContinuation { waiting in
            answer.withLock { $0 = waiting }
            door.start {
                do throws(CancellationError) {
                    try await clock.sleep(for: .seconds(patience))
                } catch {
                    // A canceled wait is over as well.
                }
                finish(nil, "The app gave no new token in time.")
            }
            door.queue.async {
                guard let delegate = delegates.all.first as? any SessionDelegate else {
                    return finish(nil, "There is no session delegate to give a new token.")
                }
                delegate.sessionTokenDidRequire(
                    successCompletion: { finish($0, nil) },
                    failCompletion: { finish(nil, "The app could not give a new token.") })
            }
        }
    }

    /// Tells the delegate about the end or the renewal of the session; call it on the app's queue.
    static func note(_ step: ConnectionStep, _ state: ConnectionState) {
        guard let delegate = delegates.all.first as? any SessionDelegate else { return }
        switch step {
        case .connected, .regained:
            if takeOutcome() == .renewed { delegate.sessionWasRefreshed() }
        case .givenUp:
            let outcome = takeOutcome()
            // The end of the attempts after an outage is not that of the session.
            guard case .refused(let error) = state, error.code.refusesUser else { return }
            if outcome != .failed { delegate.sessionDidHaveError(SBError(error)) }
            delegate.sessionWasClosed()
        case .lost, .disconnected: break
        }
    }

    private static func takeOutcome() -> Outcome {
        outcome.withLock { outcome in
            defer { outcome = .none }
            return outcome
        }
    }

    private static func report(_ error: RoostError) {
        SendbirdChat.door.queue.async {
            guard let delegate = delegates.all.first as? any SessionDelegate else { return }
            delegate.sessionDidHaveError(SBError(error))
        }
    }
}
