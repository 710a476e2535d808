// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestKit
import RoostWire

/// One device of one user in a core world: its disk, its link to the server and its process.
final class CoreDevice {
    typealias OperationID = SyncMachine.OperationID

    /// One socket, from the request to open it to its end on this device.
    final class Connection {
        /// The number that the server knows.
        let number: Int
        let epoch: LinkMachine.Epoch
        /// Whether no frame crosses although both ends believe in the socket.
        var isHalfOpen = false
        /// The arrival of the last frame in each direction; a later frame arrives after it.
        var arrivalDown: Int64 = 0
        var arrivalUp: Int64 = 0
        /// The frames that have arrived and not been applied.
        var inbox: [ServerEvent] = []
        /// The loss of the socket, which is noticed after the last frame.
        var loss: LinkMachine.Loss?
        /// A frame that the next frame of another channel overtakes.
        var overtaken: ServerEvent?
        /// The operation that applies a frame.
        var frame: OperationID?

        init(number: Int, epoch: LinkMachine.Epoch) {
            self.number = number
            self.epoch = epoch
        }
    }

    /// The consequence of the end of an app's call.
    enum Completion {
        case none
        case sent(ChannelURL, rest: [UserMessageParams])
        /// The index of the change among those that the app asked for.
        case changed(index: Int)
        /// The number of the change among those of messages.
        case changedMessage(index: Int)
        case drafted(DraftPlace, String)
        case openedTimeline(TimelineID)
        case jumped(TimelineID)
        case openedList(ListID)
        case started(connects: Bool)
    }

    /// A call of the app that has not returned.
    struct Call {
        let name: String
        /// Whether the call has to return in a stated time while the client is connected.
        let isTimed: Bool
        var since: Int64
        let completion: Completion
    }

    /// An open collection, and what has to be checked of it.
    struct Watch<Element: ListElement> {
        var changes: Fold<Element>
        /// Whether a change came since the last check.
        var isDirty = true
        /// Whether the cache has kept all messages since the collection was opened or moved.
        var isInPlace = true
    }

    let number: Int
    let user: UserID

    // The disk, which outlives the process.
    var store: ReferenceStore
    var outbox = ReferenceOutbox()
    var isDiskFull = false

    // The link.
    var isLinkUp = true
    var weather = Weather.calm
    var connection: Connection?
    var expiredKeys: Set<String> = []
    /// Whether a frame was lost on a living socket: no client can know that before its next
    /// connection.
    var hasLostFrame = false
    var lastLoginAt: Timestamp?
    /// The error of the device's clock, in milliseconds.
    var clockError: Int64 = 0

    // The process.
    /// Whether there is a process; between two of them only the disk remains.
    var isRunning = false
    var machine: SyncMachine
    /// The number of the process; events of an earlier one are dropped.
    var run = 0
    /// Whether the app has its client, so that it can make calls.
    var isOpen = false
    var isSuspended = false
    /// The events that came while the process was suspended.
    var held: [CoreWorld.Event] = []
    /// The number of events after which the process crashes.
    var eventsToCrash: Int?
    /// The number of commits on disk whose answers the machine has not received.
    var unreportedCommits = 0
    var timers: [MachineTimer: Int] = [:]
    var pauses: [OperationID: Int] = [:]
    var limits: [OperationID: Int] = [:]
    var calls: [OperationID: Call] = [:]
    var answers = CallInvariants()
    var isSending = false
    var isDrafting = false
    var timelines: [TimelineID: Watch<Message>] = [:]
    var lists: [ListID: Watch<GroupChannel>] = [:]
    var downloads: [DownloadID: DownloadProgress] = [:]

    // State for the checks.
    var deleted = DeletedMessages()
    var health: HealthInvariants
    var sent: [SentMessage] = []
    var sendCount = 0
    /// The changes of channels that the app asked for.
    var changes: [RequestedChange] = []
    var messageChanges: [RequestedMessageChange] = []
    /// The texts that the draft of a place may have; "" for none.
    var drafts: [DraftPlace: Set<String>] = [:]
    var requestCount = 0
    /// The moment from which the list's changes are read; nil while no part of the list is kept.
    var listBegan: Timestamp?

    init(_ number: Int, _ user: UserID) {
        self.number = number
        self.user = user
        store = ReferenceStore(me: user)
        health = HealthInvariants(device: "\(user)/\(number)")
        machine = SyncMachine(SyncState(me: user, random: SeededRandom(1, 0, 0, 0)))
    }

    var name: String { "\(user)/\(number)" }
    var state: SyncState { machine.state }
    var isConnected: Bool { if case .online = state.link.state { true } else { false } }
    /// Whether the app can make calls now.
    var canAct: Bool { isOpen && !isSuspended }

    /// Notes that the cache loses messages, so that open timelines may be elsewhere.
    func noteLoss() {
        for id in timelines.keys { timelines[id]?.isInPlace = false }
    }
}
