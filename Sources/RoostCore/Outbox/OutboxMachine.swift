// SPDX-License-Identifier: Apache-2.0

// The order in which unsent messages and changes leave.
//
// One lane per channel for messages, first in first out, one of them on its way at a time: that is what
// keeps call order equal to server order (scars 12, 13). Changes of what the server holds have a lane of
// their own beside it, so that a reaction does not wait for a large file. The request ID is the identity
// on every try. Whatever brings it — an acknowledgement, an echo, a page, a gap answer — settles the
// item, however late (scars 10, 11, 69). A channel whose catch-up runs is held, so that an item whose
// fate is unknown is looked for before it is sent again.

package import RoostModel

/// Decides which unsent message or change goes out when.
package struct OutboxMachine: Hashable, Codable, Sendable {
    /// How long an unsent message may wait: three days (R151).
    package static let lifetime = Duration.seconds(3 * 24 * 60 * 60)
    /// How long an acknowledgement may take (`docs/protocol` 2.3: 5 to 300 s, 10 s by default).
    package static let ackTimeout = Duration.seconds(10)
    /// How long a lane rests at first after the server asked for less haste; twice as long each time.
    package static let rest = Duration.seconds(2)
    package static let longestRest = Duration.seconds(64)
    /// How often something is tried that the server refuses for reasons of its own.
    package static let patience = 5
    /// How many lanes have something on its way at once; the files of fewer.
    package static let (concurrency, uploads) = (32, 4)

    /// One unsent thing as the machine sees it; what it says is none of its business.
    package struct Item: Hashable, Codable, Sendable {
        package enum Kind: Hashable, Codable, Sendable {
            case message
            /// A message with something to upload.
            case file
            /// A change of what the server holds.
            case change
        }

        package let requestID: RequestID
        package internal(set) var channel: ChannelURL
        package let kind: Kind
        /// On the device's clock: the only clock there is for what only the device knows.
        package internal(set) var createdAt: Timestamp
        package internal(set) var state: UnsentState
        /// Whether the server may have it: it was written to a socket once, or is about to be.
        package internal(set) var hasLeft: Bool
        /// The same before it left last; nil when it has not left since the machine knows it, and is not
        /// noted as about to.
        var hadLeft: Bool?
        /// The unsent message a change waits for.
        package internal(set) var awaited: RequestID?
        /// How often in a row it came back.
        var failures = 0

        package init(
            requestID: RequestID, channel: ChannelURL, kind: Kind = .message,
            createdAt: Timestamp, state: UnsentState, hasLeft: Bool = false,
            isNoted: Bool = false, awaited: RequestID? = nil
        ) {
            self.requestID = requestID
            self.channel = channel
            self.kind = kind
            self.createdAt = createdAt
            self.state = state
            self.hasLeft = hasLeft
            hadLeft = hasLeft && isNoted ? false : nil
            self.awaited = awaited
        }
    }

    /// What keeps an order of its own.
    package struct Lane: Hashable, Codable, Sendable {
        package internal(set) var channel: ChannelURL
        package let isForChanges: Bool

        package init(_ channel: ChannelURL, isForChanges: Bool = false) {
            self.channel = channel
            self.isForChanges = isForChanges
        }
    }

    package enum Input: Hashable, Codable, Sendable {
        /// Already on disk; takes its place at the end of its lane.
        case queued(Item)
        /// A message that is not on disk yet, because its files are being copied, keeps its place.
        case announced(RequestID, Lane)
        /// It did not come on disk: what stands behind it need not wait.
        case abandoned(RequestID, Lane)
        /// Another process has changed what the disk says of it; moved is what goes behind all others.
        case revised(Item, isMoved: Bool)
        case wentOnline(now: Timestamp)
        case wentOffline
        /// The channel's catch-up runs: no message of it leaves until it is released.
        case hold(ChannelURL)
        case release(ChannelURL)
        /// It was written to the socket: from here on an answer is awaited.
        case left(RequestID)
        /// The server has it or has done it, whoever said so; a message has its ID then.
        case delivered(RequestID, MessageID?)
        case failed(RequestID, RoostError.Code, SendStage)
        case ackTimedOut(RequestID)
        case rested(Lane)
        /// A person wants something failed to be tried again, as if it were written now.
        case retried(RequestID, now: Timestamp)
        /// A person takes it back.
        case canceled(RequestID)
    }

    package enum Effect: Hashable, Codable, Sendable {
        /// Sending begins, of which the disk must know first.
        case noteAttempt(RequestID)
        case transmit(RequestID)
        case armAckTimer(RequestID, Duration)
        case disarmAckTimer(RequestID)
        case armRest(Lane, Duration)
        /// The new state must be on disk before anybody is told.
        case store(RequestID, UnsentState)
        /// The message a change is about has its ID now.
        case aim(RequestID, at: MessageID)
        case remove(RequestID)
        /// A change goes because the message it was about is none any more.
        case drop(RequestID)
    }

    struct LaneState: Hashable, Codable, Sendable {
        var queue: [RequestID] = []
        var onItsWay: RequestID?
        var rests = false
        /// Whether it stands in line for a free place.
        var isWaiting = false
    }

    var items: [RequestID: Item] = [:]
    /// What has a place in a lane and is not on disk yet, and how many calls are bringing it there.
    var announced: [RequestID: Int] = [:]
    var lanes: [Lane: LaneState] = [:]
    /// Lanes in the order their first item came, so that no dictionary order shows.
    var laneOrder: [Lane] = []
    var held: Set<ChannelURL> = []
    /// Changes by the unsent message they wait for, in their order.
    var dependents: [RequestID: [RequestID]] = [:]
    /// Lanes that could go on but for the limit, first come first served.
    var waiting: [Lane] = []
    var isOnline = false
    /// How much is on its way: of everything, and of what has files.
    var onItsWayCount = 0
    var uploadCount = 0

    package init() {}

    /// Whether something is on its way or could leave at once.
    package var isBusy: Bool {
        isOnline
            && lanes.values.contains {
                $0.onItsWay != nil || (!$0.queue.isEmpty && !$0.rests)
            }
    }

    /// Whether an item waits for its next try.
    package var isResting: Bool {
        isOnline && lanes.values.contains { $0.rests && !$0.queue.isEmpty }
    }

    /// Whether an item is the one of its lane that is being sent.
    ///
    /// The shell asks before it acts: the link may be lost while an earlier effect is awaited.
    package func isOnItsWay(_ requestID: RequestID) -> Bool {
        items[requestID].map { lanes[$0.lane]?.onItsWay == requestID } ?? false
    }

    package func item(_ requestID: RequestID) -> Item? { items[requestID] }

    /// Whether messages of a channel wait for the end of its catch-up.
    package func isHeld(_ channel: ChannelURL) -> Bool { held.contains(channel) }

    /// Whether something queued now would leave at once: then the disk is told so with its first word.
    ///
    /// What `hasUploads` has to find a place for its files too.
    package func wouldLeaveAtOnce(_ lane: Lane, hasUploads: Bool = false) -> Bool {
        guard isOnline, !hasUploads || uploadCount < Self.uploads else { return false }
        let state = lanes[lane] ?? LaneState()
        return state.queue.isEmpty && isFree(lane, state)
            && onItsWayCount < Self.concurrency
    }

    /// Moves on and returns what the shell must now do, in order.
    package mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .queued(let item): queued(item)
        case .announced(let id, let lane): announced(id, lane)
        case .abandoned(let id, let lane): abandoned(id, lane)
        case .revised(let item, let isMoved): revised(item, isMoved: isMoved)
        case .wentOnline(let now): wentOnline(now: now)
        case .wentOffline: wentOffline()
        case .hold(let channel): hold(channel)
        case .release(let channel): release(channel)
        case .left(let id): left(id)
        case .delivered(let id, let messageID): delivered(id, messageID)
        case .failed(let id, let code, let stage): failed(id, code, stage)
        case .ackTimedOut(let id):
            failed(id, .ackTimeout, items[id]?.kind == .change ? .change : .socket)
        case .rested(let lane): rested(lane)
        case .retried(let id, let now): retried(id, now)
        case .canceled(let id): canceled(id)
        }
    }
}

extension OutboxMachine.Item {
    var lane: OutboxMachine.Lane {
        OutboxMachine.Lane(channel, isForChanges: kind == .change)
    }

    /// Whether it has waited longer than three days; at exactly three days it is still sent.
    func hasExpired(at now: Timestamp) -> Bool {
        .milliseconds(now.milliseconds(since: createdAt)) > OutboxMachine.lifetime
    }
}
