// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

// `@unchecked` restates what Foundation promises of `NSError`: this subclass has no state of its own.

/// Why something was not done; `code` is one of `ChatError` or the server's own.
public final class SBError: NSError, @unchecked Sendable {
    public static let domain = "SendbirdChatSDK"

    convenience init(_ error: RoostError) {
        self.init(
            domain: Self.domain, code: error.code.rawValue,
            userInfo: [NSLocalizedDescriptionKey: error.message])
    }
}

public typealias SBErrorHandler = (SBError?) -> Void

/// The numbers by which failures are told apart.
///
/// The server and later releases know others: read an `SBError`'s `code` with a default.
public enum ChatError: Int, Sendable {
    case invalidInitialization = 800100
    case connectionRequired = 800101
    case connectionCanceled = 800102
    case invalidParameter = 800110
    case networkError = 800120
    case networkRoutingError = 800121
    case malformedData = 800130
    case malformedErrorData = 800140
    case wrongChannelType = 800150
    case markAsReadRateLimitExceeded = 800160
    case queryInProgress = 800170
    case ackTimeout = 800180
    case loginTimeout = 800190
    case webSocketConnectionClosed = 800200
    case webSocketConnectionFailed = 800210
    case requestFailed = 800220
    case fileUploadCancelFailed = 800230
    case fileUploadCanceled = 800240
    case fileUploadTimeout = 800250
    case fileSizeLimitExceeded = 800260
    case pendingError = 800400
    case collectionDisposed = 800600
    case localDatabaseError = 800700
}
