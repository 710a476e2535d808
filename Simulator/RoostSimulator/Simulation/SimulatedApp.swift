// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDiskSimulation
import RoostModel
import RoostTestKit

/// One device of one user with its app; confined to its simulation.
final class SimulatedApp {
    /// A message whose send call returned: it must reach the log once.
    struct Sent {
        let channel: ChannelURL
        let requestID: RequestID
        /// Whether it was resent by hand, after which its place among the others is undefined.
        var wasResent = false
        var wasCanceled = false
    }

    let number: Int
    let device: SimulatedWorld.Device
    let disk: SimulatedDisk
    var process: SimulatedProcess
    /// Nil between two runs.
    var launched: SimulatedWorld.Launched?
    /// The number of the run, which identifies events of earlier runs.
    var run = 0
    var mirror = Mirror()
    /// The time from which the list's changes are read; nil while no part of the list is kept.
    var listBegan: Timestamp?
    var timelines: [Watch<Timeline>] = []
    var lists: [Watch<ChannelList>] = []
    var downloads: [HistoryDownload] = []
    /// Filters that were shown on this device and may have coverage.
    var filters: [ChannelURL: [MessageFilter]] = [:]
    var sent: [Sent] = []
    var sendCount = 0
    var isSending = false
    /// Whether a database is being closed or opened, so that no other call is possible.
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
    }

    var user: UserID { device.userID }
    var name: String { "\(user)/\(number)" }
    /// The client, while its process runs.
    var client: ChatClient? { process.isStopped || isMoving ? nil : launched?.client }
}

/// An observed collection: the sum of its diffs must be its snapshot.
final class Watch<Collection: Watchable> {
    let collection: Collection
    let number: Int
    var folded: [Collection.Element.Identity: Collection.Element] = [:]
    /// Whether a change came since the last check.
    var isDirty = true

    init(_ collection: Collection, _ number: Int) {
        self.collection = collection
        self.number = number
    }

    /// Takes a whole list, to which later diffs apply.
    func begin(with elements: [Collection.Element]) {
        folded = [:]
        for element in elements { put(element) }
    }

    func fold(_ diff: ListDiff<Collection.Element>) {
        isDirty = true
        for element in diff.deleted { remove(element) }
        for update in diff.updated {
            remove(update.before)
            put(update.after)
        }
        for element in diff.inserted { put(element) }
    }

    private func remove(_ element: Collection.Element) {
        for identity in element.identities { folded[identity] = nil }
    }

    private func put(_ element: Collection.Element) {
        for identity in element.identities { folded[identity] = element }
    }

    /// Whether the folded list equals another.
    func holds(_ elements: [Collection.Element]) -> Bool {
        elements.allSatisfy { element in
            element.identities.allSatisfy { folded[$0] == element }
        } && folded.count == elements.reduce(0) { $0 + $1.identities.count }
    }
}

/// A collection that a simulation can observe.
protocol Watchable: AnyObject, Sendable {
    associatedtype Element: ListElement
    func changes() async -> AsyncStream<ListDiff<Element>>
}

extension Timeline: Watchable {}
extension ChannelList: Watchable {}
