// SPDX-License-Identifier: Apache-2.0

/// A kind of fault that a server makes on purpose; `docs/chaos.md` describes each.
///
/// The order of the cases is the order of the decisions: an occasion has at most one fault.
package enum ChaosKind: String, CaseIterable, Hashable, Sendable {
    case lateAcknowledgement = "late-ack"
    case lostAcknowledgement = "lost-ack"
    case repeatedAcknowledgement = "repeated-ack"
    case halfOpen = "half-open"
    case restart
    case busyLogin = "busy-login"
    case busyCall = "busy-call"
    case httpError = "http-error"
    case lostAnswer = "lost-answer"
    case expiredSession = "expired-session"
    case expiredToken = "expired-token"
    case slowPage = "slow-page"
    case shortPage = "short-page"
    case clockStep = "clock-step"

    /// The occasion at which a fault of the kind is possible.
    package var occasion: ChaosOccasion {
        switch self {
        case .lateAcknowledgement, .lostAcknowledgement, .repeatedAcknowledgement: .acknowledgement
        case .halfOpen: .frame
        case .restart: .command
        case .busyLogin: .login
        case .busyCall, .httpError, .lostAnswer: .call
        case .expiredSession, .expiredToken: .sessionCall
        case .slowPage: .page
        case .shortPage: .longPage
        case .clockStep: .time
        }
    }

    /// The share of occasions with a fault where only a seed is given.
    ///
    /// A client makes progress under all of them together. Tokens do not expire: a client without a
    /// source of new ones would be signed out for good.
    package var standardRate: Double {
        switch self {
        case .lateAcknowledgement, .repeatedAcknowledgement, .busyLogin: 0.05
        case .lostAcknowledgement, .busyCall, .lostAnswer: 0.02
        case .halfOpen: 0.002
        case .restart: 0.005
        case .httpError: 0.03
        case .expiredSession: 0.01
        case .expiredToken: 0
        case .slowPage: 0.1
        case .shortPage, .clockStep: 0.2
        }
    }
}

/// A place of the traffic at which a fault is possible; each is counted for each user.
package enum ChaosOccasion: String, CaseIterable, Hashable, Sendable {
    /// A frame to a client that answers a command: with its request ID.
    case acknowledgement
    /// A frame to a client, without the answers to a login and to pings.
    case frame
    /// A frame of a client, without pings.
    case command
    /// The opening of a socket.
    case login
    /// A call of a client below `/v3/`, without those of the platform.
    case call
    /// A call with a session key.
    case sessionCall = "call with a session key"
    /// A call that asks for a page of a list, a log or a history.
    case page
    /// A call for a page that may be shorter than asked for, though more follows.
    case longPage = "page with a limit above 1"
    /// The answer to a login, and a page of channels that names the server's time.
    case time
}
