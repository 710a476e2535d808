// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostModel

// `@unchecked` restates the promise of `NSError`: this subclass has no state of its own.

/// An error; `code` is one of `ChatError` or another number of the server's.
public final class SBError: NSError, @unchecked Sendable {
    /// The error domain of this library.
    public static let domain = "SendbirdChatSDK"

    convenience init(_ error: RoostError) {
        self.init(
            domain: Self.domain, code: error.serverCode.rawValue,
            userInfo: [
                NSLocalizedDescriptionKey: error.message, "message": error.message,
            ])
    }

    convenience init(_ code: ChatError, _ message: String) {
        self.init(
            domain: Self.domain, code: code.rawValue,
            userInfo: [NSLocalizedDescriptionKey: message, "message": message])
    }

    /// The code as a case of `ChatError`; `.unknownError` for a number without a case, which `code`
    /// has all the same.
    public var errorCode: ChatError { ChatError(rawValue: code) ?? .unknownError }

    /// Returns an error with the number under `code` and the text under `message`; nil without a
    /// number.
    public class func error(withDictionary dictionary: [String: Any]) -> SBError? {
        guard let code = dictionary["code"] as? Int else { return nil }
        var userInfo = dictionary
        userInfo[NSLocalizedDescriptionKey] = dictionary["message"]
        return SBError(domain: domain, code: code, userInfo: userInfo)
    }

    /// Returns an error with the code and the description of another one; nil for nil.
    public class func error(withNSError error: NSError?) -> SBError? {
        guard let error else { return nil }
        if let error = error as? SBError { return error }
        return SBError(
            domain: error.domain, code: error.code,
            userInfo: [NSLocalizedDescriptionKey: error.localizedDescription])
    }
}

/// A number that an error can have.
public protocol SBErrorCode {
    /// The number.
    var code: Int { get }
    /// The class of the failure in words.
    var message: String { get }
    /// The error with this number and its usual text.
    var asSBError: SBError { get }
    /// Returns the error with this number and a text of the caller's; nil for the usual text.
    func asSBError(message: String?) -> SBError
}

extension ChatError: SBErrorCode {
    /// The number.
    public var code: Int { rawValue }
    /// The name of the case.
    public var message: String { String(describing: self) }
    /// The error with this number and its usual text.
    public var asSBError: SBError { asSBError(message: nil) }

    /// Returns the error with this number and a text of the caller's; nil for the usual text.
    public func asSBError(message: String?) -> SBError { SBError(self, message ?? self.message) }
}
