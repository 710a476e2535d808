// SPDX-License-Identifier: Apache-2.0

// The order in which unsent messages and changes leave.
//
// Messages have one lane per channel, first in first out. At most one message of a lane is in
// flight, so the order of calls is the order at the server (scars 12, 13). Changes of the server's
// data have a lane of their own per channel, so a reaction does not wait for a large file. The
// user's departure is the last of both lanes. Every attempt uses the same request ID. An
// acknowledgement, an echo, a page or a gap answer settles the item, however late (scars 10, 11,
// 69). A channel is held during its catch-up, so a message of unknown outcome is looked up before
// it is sent again.

package import RoostModel

/// Decides the order in which unsent messages and changes are sent.
package struct OutboxMachine: Equatable, Codable, Sendable {
    /// The longest time that an unsent message may wait: three days (R151).
    package static let lifetime = Duration.seconds(3 * 24 * 60 * 60)
    /// The wait for an acknowledgement; then the server is pinged (`docs/protocol` 2.3: 5 to 300 s,
    /// 10 s by default).
    package static let ackTimeout = Duration.seconds(10)
    /// The first delay of a lane after the server limited the rate; each further delay is twice as
    /// long.
    package static let rest = Duration.seconds(2)
    package static let longestRest = Duration.seconds(64)
    /// The time in which a request without an answer may still arrive; the items behind it wait.
    package static let lateness = Duration.seconds(15)
    /// The number of attempts after an error that may be permanent.
    package static let patience = 5
    /// The number of lanes with an item in flight, and of those with files.
    package static let (concurrency, uploads) = (32, 4)
    static let leastLaneLimit = 64

    /// An unsent item without its content, which does not affect the order.
    package struct Item: Equatable, Codable, Sendable {
        package enum Kind: Hashable, Codable, Sendable {
            case message
            /// A message with a file to upload.
            case file
            /// A change of the server's data.
            case change
            /// The user's departure, which is sent when nothing else of the channel waits.
            case departure
            /// An item that stays on this device.
            case local
        }

        package let requestID: RequestID
        package internal(set) var channel: ChannelURL
        package let kind: Kind
        /// The time on the device's clock, which orders only unsent items.
        package internal(set) var createdAt: Timestamp
        package internal(set) var state: UnsentState
        /// Whether the server may have the item: it was written to a socket once, or is about to
        /// be.
        package internal(set) var hasLeft: Bool
        /// The value of `hasLeft` before the last attempt; nil without an attempt in this run.
        var hadLeft: Bool?
        /// The last way on which the message itself was sent; nil if it certainly was not, because
        /// its files came first.
        var handedTo: SendStage?
        /// The unsent message that a change waits for.
        package internal(set) var awaited: RequestID?
        /// The number of failed attempts in a row.
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
            handedTo = hasLeft && !isNoted ? .socket : nil
            self.awaited = awaited
        }
    }

    /// A sequence of items that are sent in order.
    package struct Lane: Hashable, Codable, Sendable {
        package internal(set) var channel: ChannelURL
        package let isForChanges: Bool

        package init(_ channel: ChannelURL, isForChanges: Bool = false) {
            self.channel = channel
            self.isForChanges = isForChanges
        }
    }

    package enum Input: Equatable, Codable, Sendable {
        /// An item on disk; it takes its place at the end of its lane.
        case queued(Item)
        /// A message whose files are being copied, so it is not on disk yet; its place is kept.
        case announced(RequestID, Lane)
        /// The announced message could not be written; the items behind it need not wait.
        case abandoned(RequestID, Lane)
        /// An item as another process changed it on disk; a moved item goes to the end of its lane.
        case revised(Item, isMoved: Bool)
        case wentOnline(now: Timestamp)
        case wentOffline
        /// Requests reach the server although there is no socket: files are sent, with their
        /// messages.
        case openedToFiles(now: Timestamp)
        /// Files wait for the socket again, or for the network.
        case closedToFiles
        /// The channel's catch-up runs; its messages are not sent until `release`.
        case hold(ChannelURL)
        case release(ChannelURL)
        /// The message with uploaded files is sent now: over the socket, or by HTTP.
        case handedOver(RequestID, SendStage)
        /// The item was written to the socket; its acknowledgement is due from now on.
        case left(RequestID)
        /// The server has the message, which has an ID then, or has made the change.
        case delivered(RequestID, MessageID?)
        case failed(RequestID, RoostError.Code, SendStage)
        case ackTimedOut(RequestID)
        case rested(Lane)
        /// The user resends a failed item; its time of writing is now.
        case retried(RequestID, now: Timestamp)
        /// The user cancels the item.
        case canceled(RequestID)
        /// The failure of the item is on disk, or the disk refuses this item alone.
        case recorded(RequestID)
        /// The user deletes the message, which is being removed from the disk; it and the rest of
        /// its lane wait until `canceled` or `freed`.
        case heldBack(RequestID)
        case freed(RequestID)
        /// The newest messages of a channel were searched for arrived ones, or could not be read.
        case lookedUp(ChannelURL, isKnown: Bool)
        /// The rest after a failed search is over.
        case searchRested(ChannelURL)
    }

    package enum Effect: Equatable, Sendable {
        /// Records an attempt, on disk before the first byte is sent.
        case noteAttempt(RequestID)
        case transmit(RequestID)
        case armAckTimer(RequestID, Duration)
        case disarmAckTimer(RequestID)
        case armRest(Lane, Duration)
        /// The new state, to be on disk before the app's event.
        case store(RequestID, UnsentState)
        /// The message that a change waited for has its ID.
        case aim(RequestID, at: MessageID)
        case remove(RequestID)
        /// The item is canceled.
        case cancel(RequestID)
        /// The message that a change targeted is canceled, so the change is dropped.
        case drop(RequestID)
        /// Searches the channel's newest messages for those that may have arrived.
        case lookUp(ChannelURL)
        case armSearchRest(ChannelURL, Duration)
    }

    /// The search for messages that may have arrived.
    enum Search: Equatable, Codable, Sendable {
        case running
        /// A message was canceled since the search began, so another search follows.
        case outdated
        /// The last search failed; the next one follows after a rest.
        case resting
        case done
    }

    struct LaneState: Equatable, Codable, Sendable {
        var queue: [RequestID] = []
        var onItsWay: RequestID?
        var rests = false
        /// Whether a request without an answer may still arrive; a later item must not overtake it.
        var awaitsLateRequest = false
        /// The failed item whose failure is not on disk yet.
        ///
        /// The next item leaves after the write. If the process ended between the two, the failed
        /// item would be pending again at the next start, and be sent behind its successor.
        var unrecorded: RequestID?
        /// Whether the lane is in `waiting`.
        var isWaiting = false
    }

    var items: [RequestID: Item] = [:]
    /// The items with a place in a lane that are not on disk yet, each with the number of its
    /// calls.
    var announced: [RequestID: Int] = [:]
    var lanes: [Lane: LaneState] = [:]
    /// The lanes in the order of their first items; the order of a dictionary differs between runs.
    var laneOrder: [Lane] = []
    /// The number of lanes beyond which those without items are forgotten.
    var laneLimit = Self.leastLaneLimit
    /// The channels whose messages wait for a catch-up.
    var held: Set<ChannelURL> = []
    /// The messages that are being deleted.
    var heldBack: Set<RequestID> = []
    /// The changes that wait for each unsent message, in order.
    var dependents: [RequestID: [RequestID]] = [:]
    /// The awaited messages that were outside of the outbox at some time.
    ///
    /// One of them may be in it again, so `items` decides.
    var goneMessages: Set<RequestID> = []
    /// The canceled messages of this connection that the server may still acknowledge, and whose
    /// changes wait; each with its channel.
    var unanswered: [RequestID: ChannelURL] = [:]
    /// The searches for arrived messages on this connection.
    var searches: [ChannelURL: Search] = [:]
    /// The number of searches in a row that failed on this connection.
    var failedSearches: [ChannelURL: Int] = [:]
    /// The lanes that wait only for the limits, first in first out.
    var waiting: [Lane] = []
    var isOnline = false
    /// Whether files are sent without a socket.
    var isOpenToFiles = false
    /// The items in flight; `uploadCount` counts those with files.
    var onItsWayCount = 0
    var uploadCount = 0

    package init() {}

    /// Whether an item is in flight or could be sent at once.
    package var isBusy: Bool {
        isOnline
            && lanes.contains { lane, state in
                state.onItsWay != nil || isSearching(in: lane, state)
                    || (!state.isPaused && nextPlace(in: lane, state) != nil)
            }
    }

    /// Whether an item waits for its next attempt, or for the disk.
    package var isResting: Bool {
        isOpen
            && (lanes.values.contains { $0.isPaused && !$0.queue.isEmpty }
                || searches.contains { $0.value == .resting && needsSearch(in: $0.key) })
    }

    /// Whether an item is the one in flight of its lane.
    ///
    /// The caller checks before each step, because the connection may be lost between two steps.
    package func isOnItsWay(_ requestID: RequestID) -> Bool {
        items[requestID].map { lanes[$0.lane]?.onItsWay == requestID } ?? false
    }

    package func item(_ requestID: RequestID) -> Item? { items[requestID] }

    /// Whether messages of a channel wait for the end of its catch-up.
    package func isHeld(_ channel: ChannelURL) -> Bool { held.contains(channel) }

    /// Whether an item queued now would be sent at once; its first write then records the attempt.
    ///
    /// An item with uploads also needs a free place among the uploads.
    package func wouldLeaveAtOnce(_ lane: Lane, hasUploads: Bool = false) -> Bool {
        guard isOnline, !hasUploads || uploadCount < Self.uploads else { return false }
        let state = lanes[lane] ?? LaneState()
        return state.queue.isEmpty && isFree(lane, state)
            && onItsWayCount < Self.concurrency
    }

    /// Applies an input and returns the effects in order.
    package mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .queued(let item): queued(item)
        case .announced(let id, let lane): announced(id, lane)
        case .abandoned(let id, let lane): abandoned(id, lane)
        case .revised(let item, let isMoved): revised(item, isMoved: isMoved)
        case .wentOnline(let now): wentOnline(now: now)
        case .wentOffline: wentOffline()
        case .openedToFiles(let now): openedToFiles(now: now)
        case .closedToFiles: closedToFiles()
        case .hold(let channel): hold(channel)
        case .release(let channel): release(channel)
        case .handedOver(let id, let stage): handedOver(id, stage)
        case .left(let id): left(id)
        case .delivered(let id, let messageID): delivered(id, messageID)
        case .failed(let id, let code, let stage): failed(id, code, stage)
        case .ackTimedOut(let id):
            unanswered[id] != nil
                ? missed(id)
                : failed(id, .ackTimeout, items[id]?.lane.isForChanges == true ? .change : .socket)
        case .rested(let lane): rested(lane)
        case .retried(let id, let now): retried(id, now)
        case .canceled(let id): canceled(id)
        case .recorded(let id): recorded(id)
        case .heldBack(let id): holdBack(id)
        case .freed(let id): free(id)
        case .lookedUp(let channel, let isKnown): lookedUp(channel, isKnown: isKnown)
        case .searchRested(let channel): searchRested(in: channel)
        }
    }
}

extension OutboxMachine.LaneState {
    /// Whether the lane waits for a moment or for the disk.
    var isPaused: Bool { rests || awaitsLateRequest || unrecorded != nil }
}

extension OutboxMachine.Item {
    var lane: OutboxMachine.Lane {
        OutboxMachine.Lane(channel, isForChanges: kind == .change || kind == .departure)
    }

    /// Whether the item has waited longer than three days; at exactly three days it is still sent.
    func hasExpired(at now: Timestamp) -> Bool {
        .milliseconds(now.milliseconds(since: createdAt)) > OutboxMachine.lifetime
    }
}
