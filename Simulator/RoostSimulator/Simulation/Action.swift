// SPDX-License-Identifier: Apache-2.0

import RoostTestKit

/// One action of a simulation.
///
/// A new action is a case behind all others, a weight and a branch of `perform` in both kinds of
/// worlds. Kept runs draw from the first actions only.
enum Action: String, CaseIterable, Sendable {
    // On a device.
    case send, sendSeveral, reply, edit, delete, resend, cancel
    case openTimeline, openInPast, openFiltered, jump, closeTimeline, loadOlder, loadNewer
    case download, steerDownload
    case openList, loadMore, closeList
    case createChannel, lookUpChannel
    case clearChannel, clearAll, trim
    // Writes besides text messages; all of them wait in the outbox without a connection.
    case sendFile, addReaction, editUnsent, deleteUnsent, markRead
    case connect, disconnect, reconnect
    /// A change while an answer about the same object is on its way.
    case race
    // By a user, on a device outside the simulation.
    case sendElsewhere, replyElsewhere, burst, editElsewhere, deleteElsewhere, readElsewhere
    case leave, join, rename, createElsewhere
    case react, hide, show, resetHistory
    // To a device.
    /// The link is lost for a moment, with a few changes in open channels.
    case blink
    case cutLink, restoreLink, loseNetwork, findNetwork
    case leaveForeground, enterForeground
    case roughen, slowDown, calm
    case relaunch, crash, crashSoon, suspend, wake, fillDisk, freeDisk, moveClock
    // To time.
    case wait, waitLong, moveServerClock
    // On a device, in the outbox; behind all others, so that a seed leaves the same ones out.
    case changeChannel, leaveHere, draft
    /// By a channel's operator, on a device outside the simulation: mutes a member, or ends a mute.
    case muteMember
    // On a device.
    case waitUntilIdle
    /// A read mark by a call that waits for the server, or a mark that goes back.
    case markAtServer
    /// A comparison of a channel's cache with the server.
    case compare
    /// A question about what the cache lacks, or about a call's effect.
    case ask
    /// A download from a moment in both directions.
    case downloadFromPast

    /// The frequency of the action, relative to the others.
    var weight: Int {
        switch self {
        case .send: 30
        case .sendSeveral: 3
        case .blink: 5
        case .sendElsewhere: 24
        case .edit, .delete, .editElsewhere, .deleteElsewhere: 5
        case .openTimeline, .loadOlder: 6
        case .closeTimeline, .loadNewer, .openInPast, .openFiltered, .jump: 3
        case .reply, .replyElsewhere: 3
        case .download, .steerDownload: 1
        case .openList, .loadMore: 2
        case .closeList, .createChannel, .createElsewhere, .rename, .lookUpChannel: 1
        case .clearChannel, .clearAll, .trim: 1
        case .react: 4
        case .sendFile, .addReaction, .editUnsent, .deleteUnsent, .markRead: 8
        case .hide, .show, .resetHistory, .moveServerClock: 1
        case .resend: 3
        case .cancel: 1
        case .connect: 4
        case .disconnect: 1
        case .reconnect: 1
        case .race: 6
        case .burst: 1
        case .readElsewhere: 5
        case .leave: 1
        case .join: 2
        case .cutLink: 5
        case .restoreLink: 8
        case .loseNetwork: 1
        case .findNetwork: 2
        case .leaveForeground: 1
        case .enterForeground: 2
        case .roughen: 3
        case .slowDown: 2
        case .calm: 3
        case .relaunch: 2
        case .crash, .crashSoon: 2
        case .suspend: 2
        case .wake: 6
        case .fillDisk: 1
        case .freeDisk: 4
        case .moveClock: 2
        case .wait: 20
        case .waitLong: 1
        case .changeChannel: 6
        case .leaveHere: 1
        case .draft: 4
        case .muteMember: 6
        case .waitUntilIdle: 3
        case .markAtServer: 5
        case .compare: 1
        case .ask: 4
        case .downloadFromPast: 1
        }
    }
}

extension Action {
    /// Whether a channel may lose messages that its members see.
    var mayHideMessages: Bool {
        switch self {
        case .leave, .leaveHere, .hide, .resetHistory: true
        default: false
        }
    }
}

/// The actions of one run.
///
/// Most runs leave some kinds out, so that those left are frequent enough to meet each other.
struct ActionMix {
    /// Every action as often as its weight.
    private let weighted: [Action]

    /// - Parameters:
    ///   - seed: The seed of the run.
    ///   - count: The number of actions to choose from, the first ones.
    init(seed: UInt64, of count: Int) {
        let random = SimulatedRandom(seed: seed ^ 0xAC71_0215)
        let leavesOut = random.pick(3) > 0
        weighted = Action.allCases.prefix(count).flatMap { action in
            let isLeftOut = leavesOut && random.pick(4) == 0 && !action.isNeeded
            return Array(repeating: action, count: isLeftOut ? 0 : action.weight)
        }
    }

    func has(_ action: Action) -> Bool { weighted.contains(action) }

    func draw(_ random: SimulatedRandom) -> Action { weighted[random.pick(weighted.count)] }
}

extension Action {
    /// Whether a run without the action shows little.
    fileprivate var isNeeded: Bool {
        switch self {
        case .send, .sendElsewhere, .openTimeline, .connect, .wait: true
        default: false
        }
    }
}
