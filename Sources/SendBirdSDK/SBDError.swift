// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import RoostModel

// `@unchecked` restates what Foundation promises of `NSError`: this subclass has no state of its own.

/// Why something was not done; `code` is an `SBDErrorCode` or the server's own.
public final class SBDError: NSError, @unchecked Sendable {
    public static let domain = "SendBirdSDK"

    /// For the libraries that are built on this one.
    package convenience init(_ error: RoostError) {
        self.init(
            domain: Self.domain, code: error.code.rawValue,
            userInfo: [NSLocalizedDescriptionKey: error.message])
    }
}

/// The numbers by which failures are told apart; the server and later releases know others.
public enum SBDErrorCode: Int, Sendable {
    case invalidInitialization = 800100
    case connectionRequired = 800101
    case connectionCanceled = 800102
    case invalidParameter = 800110
    case networkError = 800120
    case networkRoutingError = 800121
    case malformedData = 800130
    case queryInProgress = 800170
    case ackTimeout = 800180
    case loginTimeout = 800190
    case webSocketConnectionClosed = 800200
    case webSocketConnectionFailed = 800210
    case requestFailed = 800220
    case fileUploadCanceled = 800240
    case fileUploadTimeout = 800250
    case fileSizeLimitExceeded = 800260
}
