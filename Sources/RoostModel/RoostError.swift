// SPDX-License-Identifier: Apache-2.0

/// The one error a caller of Roost meets.
public struct RoostError: Error, Sendable, CustomStringConvertible {
    /// Classifies the failure by the protocol's number (`docs/protocol` section 5).
    ///
    /// The set is open: servers and releases add numbers, so a `switch` needs a `default`.
    public struct Code: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public init(_ rawValue: Int) { self.rawValue = rawValue }
        public var description: String { String(rawValue) }
    }

    /// What the caller can do about it.
    public enum Remedy: Hashable, Sendable {
        /// Nothing that would help as things stand; the message says why.
        case none
        /// The same call may succeed later; Roost retries by itself where it says so.
        case retry
        /// A new token is needed.
        case signIn
        /// The request itself must change.
        case correctInput
        /// The device must change: space, rights, or a folder.
        case repairStorage
    }

    public let code: Code
    public let remedy: Remedy
    /// What failed and how to put it right, in one or two sentences; never message text or tokens.
    public let message: String
    public let underlying: (any Error)?

    public init(
        _ code: Code, remedy: Remedy, message: String, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.remedy = remedy
        self.message = message
        self.underlying = underlying
    }

    public var description: String { "\(message) (\(code))" }
}

extension RoostError.Code {
    // The server's numbers (`docs/protocol` 5.1 and 5.2).
    public static let wrongTypeString = Self(400_100)
    public static let wrongTypeNumber = Self(400_101)
    public static let parameterMissing = Self(400_105)
    public static let notAuthorized = Self(400_108)
    public static let valueLength = Self(400_110)
    public static let invalidValue = Self(400_111)
    public static let notFound = Self(400_201)
    public static let duplicate = Self(400_202)
    public static let userDeactivated = Self(400_300)
    public static let userNotFound = Self(400_301)
    public static let tokenInvalid = Self(400_302)
    public static let sessionKeyNotFound = Self(400_303)
    public static let applicationNotFound = Self(400_304)
    public static let sessionKeyExpired = Self(400_309)
    public static let sessionRevoked = Self(400_310)
    public static let apiTokenInvalid = Self(400_401)
    public static let malformedJSON = Self(400_403)
    public static let invalidURL = Self(400_404)
    public static let featureUnavailable = Self(400_920)
    public static let invalidEndpoint = Self(400_930)
    public static let internalServerError = Self(500_901)
    public static let rateLimited = Self(500_910)
    public static let loginRequired = Self(900_010)
    public static let notAMember = Self(900_020)
    public static let senderDeactivated = Self(900_021)
    public static let notTheOwner = Self(900_022)
    public static let channelFrozen = Self(900_050)
    public static let tooManyMessages = Self(900_200)
    public static let messageNotFound = Self(900_300)
    public static let channelNotFound = Self(900_500)

    // The client's own numbers (`docs/protocol` 5.3).
    public static let invalidInitialization = Self(800_100)
    public static let connectionRequired = Self(800_101)
    public static let connectionCanceled = Self(800_102)
    public static let invalidParameter = Self(800_110)
    public static let networkError = Self(800_120)
    public static let routingError = Self(800_121)
    public static let malformedData = Self(800_130)
    public static let queryInProgress = Self(800_170)
    public static let ackTimeout = Self(800_180)
    public static let loginTimeout = Self(800_190)
    public static let socketClosed = Self(800_200)
    public static let socketFailed = Self(800_210)
    public static let requestFailed = Self(800_220)
    /// The server's certificate is not trusted; Roost's own number, for the protocol has none.
    public static let untrustedServer = Self(800_122)
    public static let delayedConnecting = Self(800_221)
    public static let requestCanceled = Self(800_240)
    public static let uploadCancelFailed = Self(800_230)
    public static let uploadTimeout = Self(800_250)
    public static let fileTooLarge = Self(800_260)
    /// A message that was still queued when its time ran out (`docs/protocol` 5.3).
    public static let pendingError = Self(800_400)
    public static let collectionDisposed = Self(800_600)
    public static let localDatabaseError = Self(800_700)
}
