// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

/// The receiver of requests for a new token, and of the end of the session.
public protocol SessionDelegate: AnyObject {
    /// The token has expired; the app fetches another and calls one of the closures.
    ///
    /// `success(nil)` ends the session. After `fail()` the client asks again a little later, and so
    /// on. It waits for 60 s, or as long as `SendbirdChat.setSessionTokenRefreshTimeout(_:)` says;
    /// the release of both closures without a call counts as a failure.
    func sessionTokenDidRequire(
        successCompletion success: @escaping (String?) -> Void,
        failCompletion fail: @escaping () -> Void)
    /// The session has ended; the user must log in again.
    func sessionWasClosed()
    /// The session goes on with a new token.
    func sessionWasRefreshed()
    /// The session could not be renewed now, or the server has refused the user.
    func sessionDidHaveError(_ error: SBError)
}

extension SessionDelegate {
    public func sessionWasRefreshed() {}
    public func sessionDidHaveError(_ error: SBError) {}
}

extension SendbirdChat {
    static let session = TokenRenewal<any SessionDelegate>(
        door, failureCode: .tokenInvalid,
        request: { delegate, success, fail in
            delegate.sessionTokenDidRequire(successCompletion: success, failCompletion: fail)
        },
        notify: { delegate, notice in
            switch notice {
            case .refreshed: delegate.sessionWasRefreshed()
            case .failed(let error), .refused(let error):
                delegate.sessionDidHaveError(SBError(error))
            case .closed: delegate.sessionWasClosed()
            }
        })

    /// Sets the delegate of the session; set it before connecting.
    ///
    /// The delegate is held weakly.
    public class func setSessionDelegate(_ delegate: any SessionDelegate) {
        session.use(delegate)
    }

    /// Removes the delegate of the session.
    public class func removeSessionDelegate() { session.use(nil) }

    /// Sets how many seconds the client waits for a new token: 60 at first, 1,800 at most.
    public class func setSessionTokenRefreshTimeout(_ timeout: Int) {
        session.wait(forSeconds: timeout)
    }
}
