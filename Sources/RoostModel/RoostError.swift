// SPDX-License-Identifier: Apache-2.0

/// The error that every throwing call of Roost throws.
public struct RoostError: Error, Sendable, CustomStringConvertible {
    /// The class of the failure, as a number of the protocol (`docs/protocol` 5).
    ///
    /// The set is open: servers and later releases add numbers, so a `switch` needs a `default`.
    public struct Code: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
        /// The number of the protocol.
        public let rawValue: Int
        /// Creates a code from a number of the protocol.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Creates a code from a number of the protocol.
        public init(_ rawValue: Int) { self.rawValue = rawValue }
        /// The number in decimal digits.
        public var description: String { String(rawValue) }
    }

    /// The action of a caller that can help.
    public enum Remedy: Hashable, Codable, Sendable {
        /// No action helps; the message says why.
        case none
        /// The same call may succeed later; where the documentation says so, Roost retries by
        /// itself.
        case retry
        /// The app must provide a new token.
        case signIn
        /// The arguments of the call must change.
        case correctInput
        /// The user must change the device: free space, grant access, or choose another folder.
        case repairStorage
    }

    /// The class of the failure.
    public let code: Code
    /// The action that can help.
    public let remedy: Remedy
    /// The cause and the remedy, in one or two sentences; contains no message texts and no tokens.
    public let message: String
    /// The error that caused this one; nil for none.
    public let underlying: (any Error)?
    /// The part below that failed, as far as a decision depends on it.
    package let cause: Cause

    /// Creates an error.
    public init(
        _ code: Code, remedy: Remedy, message: String, underlying: (any Error)? = nil
    ) {
        self.init(code, remedy: remedy, message: message, cause: .other, underlying: underlying)
    }

    package init(
        _ code: Code, remedy: Remedy, message: String, cause: Cause,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.remedy = remedy
        self.message = message
        self.cause = cause
        self.underlying = underlying
    }

    /// The message with the code, for logs.
    public var description: String { "\(message) (\(code))" }
}

extension RoostError: Hashable {
    /// Returns whether code, remedy, message and cause are equal; the underlying error is not compared.
    public static func == (left: RoostError, right: RoostError) -> Bool {
        left.code == right.code && left.remedy == right.remedy && left.message == right.message
            && left.cause == right.cause
    }

    /// Hashes the code and the message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}

extension RoostError: Codable {
    private enum CodingKeys: CodingKey { case code, remedy, message, cause }

    /// Creates an error from its encoded form; the underlying error is no part of it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Code.self, forKey: .code),
            remedy: try container.decode(Remedy.self, forKey: .remedy),
            message: try container.decode(String.self, forKey: .message),
            cause: try container.decode(Cause.self, forKey: .cause))
    }

    /// Encodes everything but the underlying error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .code)
        try container.encode(remedy, forKey: .remedy)
        try container.encode(message, forKey: .message)
        try container.encode(cause, forKey: .cause)
    }
}

extension RoostError {
    /// The part below Roost's decisions that an error comes from.
    package enum Cause: Hashable, Codable, Sendable {
        /// The server, the caller, or a decision of Roost.
        case other
        /// The disk; `mayPass` says that it may take the same later.
        case disk(mayPass: Bool)
        /// No way led to the server, so that nothing of the request arrived.
        case unreachable
    }

    /// Whether the disk failed and may succeed later: the device is unlocked, room is made, another process is
    /// done.
    package var mayPassWithDisk: Bool { cause == .disk(mayPass: true) }

    /// Whether the disk failed, for good or for now.
    package var isOfDisk: Bool { if case .disk = cause { true } else { false } }

    /// Whether no way led to the server, so that nothing of the request arrived.
    package var isUnreachable: Bool { cause == .unreachable }

    /// Whether the server has refused: neither the network nor the disk changes its answer.
    package var isRefusal: Bool {
        !isOfDisk && remedy != .retry
    }
}

extension RoostError.Code {
    // Codes of the server (`docs/protocol` 5.1 and 5.2).
    /// 400100: a parameter is no text.
    public static let wrongTypeString = Self(400_100)
    /// 400101: a parameter is no number.
    public static let wrongTypeNumber = Self(400_101)
    /// 400105: a required parameter is missing.
    public static let parameterMissing = Self(400_105)
    /// 400108: the caller is not allowed to do this.
    public static let notAuthorized = Self(400_108)
    /// 400110: a value is too long.
    public static let valueLength = Self(400_110)
    /// 400111: a value is invalid.
    public static let invalidValue = Self(400_111)
    /// 400201: the user, channel or message does not exist.
    public static let notFound = Self(400_201)
    /// 400202: the object exists already.
    public static let duplicate = Self(400_202)
    /// 400203: there are too many of these already.
    public static let tooManyItems = Self(400_203)
    /// 400300: the user is deactivated; the session ends.
    public static let userDeactivated = Self(400_300)
    /// 400301: the user does not exist or was deleted; the session ends.
    public static let userNotFound = Self(400_301)
    /// 400302: the token is invalid; the app is asked for another one.
    public static let tokenInvalid = Self(400_302)
    /// 400303: the server does not know the session key.
    public static let sessionKeyNotFound = Self(400_303)
    /// 400304: the application does not exist.
    public static let applicationNotFound = Self(400_304)
    /// 400309: the session key has expired; the client renews it by itself.
    public static let sessionKeyExpired = Self(400_309)
    /// 400310: the session was revoked and ends.
    public static let sessionRevoked = Self(400_310)
    /// 400401: the API token is wrong.
    public static let apiTokenInvalid = Self(400_401)
    /// 400403: the request's JSON cannot be read.
    public static let malformedJSON = Self(400_403)
    /// 400404: the request's URL is invalid.
    public static let invalidURL = Self(400_404)
    /// 400700: a block between the two users forbids it.
    public static let sendingBlocked = Self(400_700)
    /// 400750: the user is banned from the channel, and cannot be invited or enter.
    public static let bannedFromChannel = Self(400_750)
    /// 400920: the server does not offer this feature.
    public static let featureUnavailable = Self(400_920)
    /// 400930: the server does not offer this call.
    public static let invalidEndpoint = Self(400_930)
    /// 500901: the server failed; a retry may succeed.
    public static let internalServerError = Self(500_901)
    /// 500910: too many requests; a later retry may succeed.
    public static let rateLimited = Self(500_910)
    /// 900010: the socket is not logged in.
    public static let loginRequired = Self(900_010)
    /// 900020: the user is not a member of the channel.
    public static let notAMember = Self(900_020)
    /// 900021: the sender is deactivated.
    public static let senderDeactivated = Self(900_021)
    /// 900022: the message belongs to another user.
    public static let notTheOwner = Self(900_022)
    /// 900040: the sender is muted in the application.
    public static let mutedInApplication = Self(900_040)
    /// 900041: the sender is muted in the channel.
    public static let mutedInChannel = Self(900_041)
    /// 900050: only operators may write in the channel for now.
    public static let channelFrozen = Self(900_050)
    /// 900060: a filter refused words of the message.
    public static let wordsFiltered = Self(900_060)
    /// 900061: a filter refused a URL in the message.
    public static let urlFiltered = Self(900_061)
    /// 900065: a filter refused the domain of a URL in the message.
    public static let domainFiltered = Self(900_065)
    /// 900066: the file is too large, or of a kind that the server does not take.
    public static let fileRefused = Self(900_066)
    /// 900080: the other member has blocked the sender.
    public static let blockedByReceiver = Self(900_080)
    /// 900100: the user is banned from the channel.
    public static let banned = Self(900_100)
    /// 900200: too many messages; a later retry may succeed.
    public static let tooManyMessages = Self(900_200)
    /// 900300: the message does not exist.
    public static let messageNotFound = Self(900_300)
    /// 900500: the channel does not exist.
    public static let channelNotFound = Self(900_500)

    // Codes of the client itself (`docs/protocol` 5.3).
    /// 800100: the call came before the start.
    public static let invalidInitialization = Self(800_100)
    /// 800101: the call needs a connection.
    public static let connectionRequired = Self(800_101)
    /// 800102: the connection attempt was canceled.
    public static let connectionCanceled = Self(800_102)
    /// 800110: an argument is invalid.
    public static let invalidParameter = Self(800_110)
    /// 800120: the network failed.
    public static let networkError = Self(800_120)
    /// 800121: the network failed to find the server.
    public static let routingError = Self(800_121)
    /// 800130: an answer of the server cannot be read.
    public static let malformedData = Self(800_130)
    /// 800170: the query is already loading.
    public static let queryInProgress = Self(800_170)
    /// 800180: the server did not acknowledge in time.
    public static let ackTimeout = Self(800_180)
    /// 800190: the server did not answer the login in time.
    public static let loginTimeout = Self(800_190)
    /// 800200: the socket was closed.
    public static let socketClosed = Self(800_200)
    /// 800210: the socket failed.
    public static let socketFailed = Self(800_210)
    /// 800220: the request failed.
    public static let requestFailed = Self(800_220)
    /// 800122: the server's certificate is not trusted; a number of Roost's own, because the
    /// protocol has none.
    public static let untrustedServer = Self(800_122)
    /// 800221: the server asked the client to connect later.
    public static let delayedConnecting = Self(800_221)
    /// 800240: the caller or a later change canceled the work, or the waiting task was canceled.
    public static let requestCanceled = Self(800_240)
    /// 800230: the upload cannot be canceled.
    public static let uploadCancelFailed = Self(800_230)
    /// 800250: the upload took too long.
    public static let uploadTimeout = Self(800_250)
    /// 800260: the file is too large.
    public static let fileTooLarge = Self(800_260)
    /// 800400: three days passed before the message or change was sent.
    public static let pendingError = Self(800_400)
    /// 800600: the collection is closed.
    public static let collectionDisposed = Self(800_600)
    /// 800700: the local database failed; `message` says why and what helps.
    public static let localDatabaseError = Self(800_700)
}
