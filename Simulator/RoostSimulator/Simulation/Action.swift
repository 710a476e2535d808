// SPDX-License-Identifier: Apache-2.0

/// One action of a simulation.
///
/// A new action is a case, a weight and a branch of `Simulation.perform`.
enum Deed: String, CaseIterable, Sendable {
    // On a device.
    case send, sendSeveral, reply, edit, delete, resend, cancel
    case openTimeline, openInPast, openFiltered, jump, closeTimeline, loadOlder, loadNewer
    case download, steerDownload
    case openList, loadMore, closeList
    case createChannel, lookUpChannel
    case clearChannel, clearAll, trim
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
        }
    }

    /// Every action as often as its weight, to draw one.
    static let urn = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
}
