// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

// `@unchecked` restates the promise of `NSError`: this subclass has no state of its own.

/// An error; `code` is one of `ChatError` or a number of the server's.
public final class SBError: NSError, @unchecked Sendable {
    /// The error domain of this library.
    public static let domain = "SendbirdChatSDK"

    convenience init(_ error: RoostError) {
        self.init(
            domain: Self.domain, code: error.code.rawValue,
            userInfo: [NSLocalizedDescriptionKey: error.message])
    }
}

/// The handler of an outcome; nil for success.
public typealias SBErrorHandler = (SBError?) -> Void

/// The numbers of the client's errors.
///
/// The set is open: the server and later releases add numbers, so compare `SBError.code` with a
/// default.
public enum ChatError: Int, Sendable {
    /// The library is not initialised.
    case invalidInitialization = 800100
    /// The call needs a connection.
    case connectionRequired = 800101
    /// The connection attempt was canceled.
    case connectionCanceled = 800102
    /// An argument is invalid.
    case invalidParameter = 800110
    /// The network failed.
    case networkError = 800120
    /// The network failed to find the server.
    case networkRoutingError = 800121
    /// An answer of the server cannot be read.
    case malformedData = 800130
    /// An error of the server cannot be read.
    case malformedErrorData = 800140
    /// The channel is of another kind.
    case wrongChannelType = 800150
    /// Marks as read came too often.
    case markAsReadRateLimitExceeded = 800160
    /// The query is already loading.
    case queryInProgress = 800170
    /// The server did not acknowledge in time.
    case ackTimeout = 800180
    /// The server did not answer the login in time.
    case loginTimeout = 800190
    /// The socket was closed.
    case webSocketConnectionClosed = 800200
    /// The socket failed.
    case webSocketConnectionFailed = 800210
    /// The request failed.
    case requestFailed = 800220
    /// The upload cannot be canceled.
    case fileUploadCancelFailed = 800230
    /// The upload was canceled.
    case fileUploadCanceled = 800240
    /// The upload took too long.
    case fileUploadTimeout = 800250
    /// The file is too large.
    case fileSizeLimitExceeded = 800260
    /// The message was still queued when its time ran out.
    case pendingError = 800400
    /// The collection is closed.
    case collectionDisposed = 800600
    /// The local database failed; the description says why and what helps.
    case localDatabaseError = 800700
}
