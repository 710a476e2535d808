// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
package import RoostModel

// `@unchecked` restates the promise of `NSError`: this subclass has no state of its own.

/// An error; `code` is an `SBDErrorCode` or a number of the server's.
public final class SBDError: NSError, @unchecked Sendable {
    /// The error domain of this library.
    public static let domain = "SendBirdSDK"

    /// Returns an error of a dictionary with `code` and `message`, as the server writes errors.
    public class func error(withDictionary dictionary: [AnyHashable: Any]) -> SBDError {
        let number = dictionary["code"] as? NSNumber
        let code = number?.intValue ?? dictionary["code"] as? Int
        return SBDError(
            domain: domain, code: code ?? SBDErrorCode.malformedData.rawValue,
            userInfo: [NSLocalizedDescriptionKey: dictionary["message"] as? String ?? ""])
    }

    /// Returns an error of another library's; it keeps its code and user info.
    public class func error(withNSError error: NSError) -> SBDError {
        error as? SBDError ?? SBDError(domain: domain, code: error.code, userInfo: error.userInfo)
    }

    /// Creates an error of the libraries that are built on this one.
    package convenience init(_ error: RoostError) {
        self.init(
            domain: Self.domain, code: error.serverCode.rawValue,
            userInfo: [NSLocalizedDescriptionKey: error.message])
    }
}

/// The numbers of the client's errors; the set is open, because the server and later releases add
/// numbers.
public enum SBDErrorCode: Int, Sendable {
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
    /// The upload was canceled.
    case fileUploadCanceled = 800240
    /// The upload took too long.
    case fileUploadTimeout = 800250
    /// The file is too large.
    case fileSizeLimitExceeded = 800260
}
