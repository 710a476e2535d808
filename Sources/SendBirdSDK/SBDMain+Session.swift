// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

/// The receiver of changes of the session, whose token may expire.
public protocol SBDSessionDelegate: AnyObject {
    /// The token has expired: fetch a new one, and pass it to the first closure, or nil if there is
    /// none any more; call the second one if it cannot be fetched now.
    ///
    /// If neither is called within 60 s, or both are released, that counts as a failure. After a
    /// failure the client asks again a little later, and so on.
    func sessionTokenDidRequire(
        successCompletion success: @escaping (String?) -> Void,
        failCompletion fail: @escaping () -> Void)
    /// The session has ended for good: log the user in again.
    func sessionWasClosed()
    /// The session goes on with the new token.
    func sessionWasRefreshed()
    /// The session could not be refreshed now, or the server has refused the user.
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
    static let session = TokenRenewal<any SBDSessionDelegate>(
        door, failureCode: .sessionKeyExpired,
        request: { delegate, success, fail in
            delegate.sessionWasExpired()
            delegate.sessionTokenDidRequire(successCompletion: success, failCompletion: fail)
        },
        notify: { delegate, notice in
            switch notice {
            case .refreshed: delegate.sessionWasRefreshed()
            case .failed(let error): delegate.sessionDidHaveError(SBDError(error))
            // The end of the session follows, which says the same.
            case .refused: break
            case .closed: delegate.sessionWasClosed()
            }
        })

    /// Sets the receiver of changes of the session, held weakly.
    public class func setSessionDelegate(_ delegate: (any SBDSessionDelegate)?) {
        session.use(delegate)
    }
}
