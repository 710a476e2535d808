// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDiskSimulation
import RoostModel
import RoostTestKit

/// One device of one user with its app; confined to its simulation.
final class SimulatedApp {
    let number: Int
    let device: SimulatedWorld.Device
    let disk: SimulatedDisk
    var process: SimulatedProcess
    /// The client with its connections to the world; nil while the app is not running.
    var launched: SimulatedWorld.Launched?
    /// The number of the app's process; events with another number are ignored.
    var run = 0
    var mirror = Mirror()
    var deleted = DeletedMessages()
    var health: HealthInvariants
    var answers = CallInvariants()
    /// The last health that the client has published.
    var published: Health?
    /// The time from which the list's changes are read; nil while no part of the list is kept.
    var listBegan: Timestamp?
    var timelines: [Watch<Timeline>] = []
    var lists: [Watch<ChannelList>] = []
    var downloads: [HistoryDownload] = []
    /// Filters that were shown on this device and may have coverage.
    var filters: [ChannelURL: [MessageFilter]] = [:]
    var sent: [SentMessage] = []
    var sendCount = 0
    var isSending = false
    var isDrafting = false
    /// The channels with changes that waited since the last rest.
    var changed: Set<ChannelURL> = []
    /// The texts that the draft of a place may have; "" for none.
    var drafts: [DraftPlace: Set<String>] = [:]
    /// Whether the client is being opened, closed or suspended, so that no other call is possible.
    var isMoving = false
    /// Whether the system has stopped the process and may resume it.
    var isSuspended = false

    init(
        _ number: Int, _ device: SimulatedWorld.Device, _ disk: SimulatedDisk,
        _ process: SimulatedProcess
    ) {
        self.number = number
        self.device = device
        self.disk = disk
        self.process = process
        health = HealthInvariants(device: "\(device.userID)/\(number)")
    }

    var user: UserID { device.userID }
    var name: String { "\(user)/\(number)" }
    /// Notes that the cache loses messages, so that open timelines may be elsewhere.
    func noteLoss() {
        for watch in timelines { watch.place = nil }
    }

    /// The client, while its process runs.
    var client: ChatClient? { process.isStopped || isMoving ? nil : launched?.client }
}

/// An open collection, and its elements as its changes add up.
final class Watch<Collection: Watchable> {
    let collection: Collection
    let number: Int
    private(set) var changes = Fold<Collection.Element>([])
    /// Whether a change came since the last check.
    var isDirty = true
    /// The moment around which a timeline was opened or to which it has jumped; nil if the cache
    /// has lost messages since.
    var place: Timestamp?

    init(_ collection: Collection, _ number: Int) {
        self.collection = collection
        self.number = number
    }

    /// Takes a whole list, to which later changes apply.
    func begin(with elements: [Collection.Element]) { changes = Fold(elements) }

    /// Applies a change.
    func fold(_ diff: ListDiff<Collection.Element>) {
        isDirty = true
        changes.apply(diff)
    }
}

/// A collection that a simulation can observe.
protocol Watchable: AnyObject, Sendable {
    associatedtype Element: ListElement
    func changes() async -> AsyncStream<ListDiff<Element>>
    var elements: [Element] { get async }
}

extension Timeline: Watchable {
    var elements: [Message] { get async { await snapshot.messages } }
}

extension ChannelList: Watchable {
    var elements: [GroupChannel] { get async { await snapshot.channels } }
}

extension Watch<Timeline> {
    var shown: ShownTimeline {
        get async {
            let snapshot = await collection.snapshot
            return ShownTimeline(
                channel: collection.channel, filter: collection.filter,
                messages: snapshot.messages, hasOlder: snapshot.hasOlder,
                hasNewer: snapshot.hasNewer, hasHugeGap: snapshot.hasHugeGap,
                sentBeyondGap: snapshot.sentBeyondGap, place: place,
                marks: snapshot.marks)
        }
    }
}

extension Watch<ChannelList> {
    var shown: ShownList {
        get async {
            let snapshot = await collection.snapshot
            return ShownList(
                filter: collection.query.filter, order: collection.query.order,
                channels: snapshot.channels, hasMore: snapshot.hasMore)
        }
    }
}
