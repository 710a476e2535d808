// SPDX-License-Identifier: Apache-2.0

/// The numbers of errors.
///
/// The set is open: the server and later releases add numbers, so compare `SBError.code` with a
/// default.
public enum ChatError: Int, Sendable, CaseIterable {
    // MARK: The server, about parameters and rights

    /// A parameter is no text.
    case invalidParameterValueString = 400100
    /// A parameter is no number.
    case invalidParameterValueNumber = 400101
    /// A parameter is no list.
    case invalidParameterValueList = 400102
    /// A parameter is no JSON object.
    case invalidParameterValueJson = 400103
    /// A parameter is neither true nor false.
    case invalidParameterValueBoolean = 400104
    /// A required parameter is missing.
    case invalidParameterValueRequired = 400105
    /// A number must not be negative.
    case invalidParameterValuePositive = 400106
    /// A number must be negative.
    case invalidParameterValueNegative = 400107
    /// The user may not do this.
    case nonAuthorized = 400108
    /// The token of a page has expired.
    case tokenExpired = 400109
    /// The length of a value is not allowed; the name stems from channel URLs.
    case invalidChannelURL = 400110
    /// A value is invalid.
    case invalidParameterValue = 400111
    /// A text has characters that are not allowed.
    case unusableCharacterIncluded = 400151
    /// The user, channel or message does not exist.
    case notFoundInDatabase = 400201
    /// The object exists already.
    case duplicatedData = 400202
    /// There are too many objects.
    case reachedMaxCount = 400203
    /// The user is deactivated.
    case userDeactivated = 400300
    /// The user does not exist.
    case userNotExist = 400301
    /// The token is invalid.
    case accessTokenNotValid = 400302
    /// The server does not know the session.
    case authUnknownError = 400303
    /// The application does not exist.
    case appIdNotValid = 400304
    /// The user's ID is too long.
    case authUserIdTooLong = 400305
    /// The plan of the application is used up.
    case authPlanQuotaExceeded = 400306
    /// The session key has expired; the client renews it by itself.
    case sessionKeyExpired = 400309
    /// The session was revoked.
    case sessionTokenRevoked = 400310
    /// The API token is wrong.
    case invalidApiToken = 400401
    /// A part of the request is missing.
    case parameterMissing = 400402
    /// The JSON of the request cannot be read.
    case invalidJsonBody = 400403
    /// The server failed; a retry may succeed.
    case internalServerError = 500901
    /// There are too many requests; a later retry may succeed.
    case rateLimitExceeded = 500910

    // MARK: The server, about messages

    /// The socket is not logged in.
    case socketLoginRequired = 900010
    /// The user is not a member of the channel.
    case socketUserNotMember = 900020
    /// The user is deactivated.
    case socketDeactivatedUser = 900021
    /// The message belongs to another user.
    case socketUserNotOwnerOfMessage = 900022
    /// The user is muted in the application.
    case socketMutedUserInApplicationSendMessageNotAllowed = 900040
    /// The user is muted in the channel.
    case socketMutedUserInChannelSendMessageNotAllowed = 900041
    /// The channel is frozen.
    case socketChannelFrozen = 900050
    /// The profanity filter has blocked the message.
    case socketProfanityMessageBlocked = 900060
    /// The user is banned from the channel.
    case socketBannedUserSendMessageNotAllowed = 900100
    /// There are too many messages.
    case socketTooManyMessages = 900200
    /// The message does not exist.
    case socketMessageNotFound = 900300
    /// The channel does not exist.
    case socketChannelNotFound = 900500

    // MARK: The client

    /// The error has a number without a case.
    case unknownError = 800000
    /// The library is not initialised.
    case invalidInitialization = 800100
    /// The call needs a connection.
    case connectionRequired = 800101
    /// The connection attempt was canceled.
    case connectionCanceled = 800102
    /// An argument is invalid.
    case invalidParameter = 800110
    /// Neither this library nor its server can do this.
    case notSupported = 800111
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
    /// The server asked the client to connect later.
    case serverOverloaded = 800221
    /// The upload cannot be canceled.
    case fileUploadCancelFailed = 800230
    /// The upload was canceled.
    case fileUploadCanceled = 800240
    /// The upload took too long.
    case fileUploadTimeout = 800250
    /// The file is too large.
    case fileSizeLimitExceeded = 800260
    /// A timer has run out.
    case timerWasExpired = 800301
    /// A timer was done before.
    case timerWasAlreadyDone = 800302
    /// The message was still queued when its time ran out.
    case pendingError = 800400
    /// The app gave no token for the session.
    ///
    /// The library does not report it: the session delegate gets `accessTokenNotValid`.
    case passedInvalidAccessToken = 800500
    /// The session key was renewed during the call.
    ///
    /// The library does not report it: the call gets `sessionKeyExpired`, and a retry succeeds.
    case sessionKeyRefreshSucceeded = 800501
    /// The session key could not be renewed.
    ///
    /// The library does not report it: the call gets `sessionKeyExpired`.
    case sessionKeyRefreshFailed = 800502
    /// The collection is closed.
    case collectionDisposed = 800600
    /// The local database failed; the description says why and what helps.
    case localDatabaseError = 800700
}
