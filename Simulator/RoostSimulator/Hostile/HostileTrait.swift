// SPDX-License-Identifier: Apache-2.0

/// One way of a server to do harm; a scene has several of them.
package enum HostileTrait: String, CaseIterable, Sendable {
    // MARK: Answers

    /// Refuses every page token that it gave.
    case refusedTokens
    /// Leads every list on to a new token and an empty page.
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
    /// Turns yes to no and back.
    case contradictions
    /// Answers 429 or 5xx.
    case failures
    /// Answers with a page for people.
    case nonsense
    /// Answers 200 and nothing.
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
    /// Refuses a request as if the user were nobody.
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
    /// Opens sockets and says nothing.
    case mutedSockets
    /// Says in its login answer to wait for ever, or never.
    case absurdLogins
    /// Loses frames in both directions.
    case lostFrames
    /// Sends each frame several times.
    case duplicateFrames
    /// Sends what no protocol knows.
    case garbageFrames
    /// Answers requests that nobody made, and takes back those that somebody made.
    case falseAnswers
    /// Sends messages that are not there.
    case inventedMessages
    /// Tells of changes in many channels, many times a second.
    case eventStorm

    /// Whether the trait leaves lies in the cache of which only the server could know that they are lies.
    var lies: Bool {
        switch self {
        case .emptyLists, .contradictions, .absurdNumbers, .endlessChannels, .inventedMessages,
            .wrongTypes, .refusals, .eventStorm:
            true
        default: false
        }
    }
}
