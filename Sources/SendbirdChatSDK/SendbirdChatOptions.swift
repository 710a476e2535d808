// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostExecutors

/// Times and switches of the old library.
///
/// The client has fixed times, so most setters have no effect. Each getter returns the value that
/// the client works with.
public final class SendbirdChatOptions: NSObject {
    /// Has no effect; see `getConnectionTimeout()`.
    public class func setConnectionTimeout(_ timeout: Int) {}

    /// Returns the seconds that a login may take: 10.
    public class func getConnectionTimeout() -> TimeInterval { 10 }

    /// Has no effect; see `getWebSocketResponseTimeout()`.
    public class func setWebSocketResponseTimeout(_ timeout: Int) {}

    /// Returns the seconds that an acknowledgement of the server may take: 10.
    public class func getWebSocketResponseTimeout() -> TimeInterval { 10 }

    /// Has no effect; see `getFileTransferTimeout()`.
    public class func setFileTransferTimeout(_ timeout: Int) {}

    /// Returns the seconds that an upload may stand still: 60.
    public class func getFileTransferTimeout() -> TimeInterval { 60 }

    /// Has no effect; see `getTypingIndicatorThrottle()`.
    public class func setTypingIndicatorThrottle(_ interval: TimeInterval) {}

    /// Returns the seconds between two reports that the user is typing: 1.
    public class func getTypingIndicatorThrottle() -> TimeInterval { 1 }

    /// Has no effect; see `getTypingIndicatorInvalidateTimeout()`.
    public class func setTypingIndicatorInvalidateTimeout(_ timeout: TimeInterval) {}

    /// Returns the seconds after which a member who reports nothing stops typing: 10.
    public class func getTypingIndicatorInvalidateTimeout() -> TimeInterval { 10 }

    /// Has no effect; see `useMemberInfoInMessage()`.
    public class func setMemberInfoInMessage(_ isOn: Bool) {}

    /// Returns whether messages show their senders as they are now: true.
    public class func useMemberInfoInMessage() -> Bool { true }

    /// Sets whether all message objects made from now on show their polls, even if parameters do
    /// not ask for them.
    public class func setIncludePollDetails(_ isOn: Bool) { showsPolls.withLock { $0 = isOn } }

    /// Returns whether all messages show their polls: false at first, when only messages do whose
    /// parameters ask for it.
    public class func includePollDetails() -> Bool { showsPolls.withLock { $0 } }

    private static let showsPolls = Guarded(false)

    /// Sets how many seconds the client waits for a new token: 60 at first, 1,800 at most.
    public class func setSessionTokenRefreshTimeout(_ timeout: Int) {
        SendbirdChat.setSessionTokenRefreshTimeout(timeout)
    }
}
