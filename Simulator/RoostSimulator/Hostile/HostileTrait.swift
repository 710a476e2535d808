// SPDX-License-Identifier: Apache-2.0

/// One kind of a hostile server's faults; a scene has several.
package enum HostileTrait: String, CaseIterable, Sendable {
    // MARK: Answers

    /// Refuses every page token that it issued.
    case refusedTokens
    /// Continues every list with a new token and an empty page.
    case endlessTokens
    /// Answers every page of a list with the first one, and a token for more.
    case repeatedPages
    /// Lists new channels without end.
    case endlessChannels
    /// Puts messages of one channel into the pages of another.
    case foreignItems
    /// Replaces times, IDs, counts and durations with the ends of their ranges and beyond.
    case absurdNumbers
    /// Orders pages at random.
    case unsortedPages
    /// Empties every list and says that it is complete.
    case emptyLists
    /// Inverts Booleans.
    case contradictions
    /// Answers 429 or 5xx.
    case failures
    /// Answers with an HTML page.
    case nonsense
    /// Answers 200 with an empty body.
    case emptyBodies
    /// Breaks off in the middle of an answer or a frame.
    case truncation
    /// Replaces values with values of other kinds.
    case wrongTypes
    /// Nests an answer or a frame as deep as it can.
    case deepNesting
    /// Takes a request and does not answer.
    case silence
    /// Answers just before the time limit.
    case slowness
    /// Ends the session with any answer.
    case expiredSessions
    /// Refuses a request as if the user did not exist.
    case refusals

    // MARK: Sockets

    /// Asks for a pause instead of a login's answer, of any length.
    case busyLogins
    /// Refuses logins with any error.
    case refusedLogins
    /// Ends the session after each login.
    case expiringSockets
    /// Closes the socket after each login.
    case closingSockets
    /// Opens sockets and sends no frame.
    case mutedSockets
    /// Names absurd intervals in its login answer.
    case absurdLogins
    /// Loses frames in both directions.
    case lostFrames
    /// Sends each frame several times.
    case duplicateFrames
    /// Sends frames outside the protocol.
    case garbageFrames
    /// Answers requests that the client did not make, and retracts those that it made.
    case falseAnswers
    /// Sends messages that do not exist.
    case inventedMessages
    /// Sends events of many channels, many times a second.
    case eventStorm
}
