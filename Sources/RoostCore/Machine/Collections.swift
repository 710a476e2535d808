// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The open collections of one kind, in the order in which they were opened.
package struct OpenCollections<
    ID: Equatable & Codable & Sendable, Collection: Codable & Sendable
>: Codable, Sendable {
    /// Changed in place, so that a change of a collection copies none of its lists.
    private var collections: [Open] = []

    private struct Open: Codable, Sendable {
        let id: ID
        var collection: Collection?
    }

    package init() {}

    package var ids: [ID] { collections.map(\.id) }
    package var isEmpty: Bool { collections.isEmpty }

    /// The open collection with a number; nil once it is closed, after which it cannot be set.
    package subscript(id: ID) -> Collection? {
        get { collections.first { $0.id == id }?.collection }
        _modify {
            guard let index = collections.firstIndex(where: { $0.id == id }) else {
                var none: Collection?
                yield &none
                return
            }
            yield &collections[index].collection
            if case nil = collections[index].collection { collections.remove(at: index) }
        }
    }

    /// Changes each open collection in place; the closure must not set it to nil.
    mutating func changeEach(_ body: (ID, inout Collection?) -> Void) {
        for index in collections.indices {
            body(collections[index].id, &collections[index].collection)
        }
    }

    package mutating func open(_ collection: Collection, as id: ID) {
        collections.append(Open(id: id, collection: collection))
    }
}

extension OpenCollections where Collection == OpenTimeline {
    package func ids(of channel: ChannelURL) -> [ID] {
        collections.filter { $0.collection?.channel == channel }.map(\.id)
    }

    /// The channels with an open timeline, each once, in the order in which they were opened.
    package var channels: [ChannelURL] {
        var seen: Set<ChannelURL> = []
        return collections.compactMap(\.collection?.channel).filter { seen.insert($0).inserted }
    }
}

extension SyncState {
    /// Passes a commit to the open collections, and starts the operations that follow.
    mutating func deliver(_ commit: Commit, from origin: ChangeOrigin) {
        for change in commit.changes {
            switch change {
            case .messages(let change):
                session?.noteCoverage(after: change)
                guard ledgers[change.channel] != nil else { continue }
                if !change.deleted.isEmpty { ledgers[change.channel]?.noteRemoval() }
                if change.losesCoverage { ledgers[change.channel]?.noteLoss() }
            case .channels(let change):
                for channel in change.inserted { unknownChannels.note(nil, of: channel.url) }
                for channel in change.deleted { session?.absences.noteRemoval(of: channel) }
            case .users: break
            }
        }
        for id in timelines.ids {
            let demand = timelines[id]?.receive(commit, from: origin) ?? .nothing
            satisfy(demand, of: id)
        }
        for id in lists.ids where lists[id]?.receive(commit, from: origin) == true { reread(id) }
        deliverToInboxes(commit)
        noteMutes(in: commit, from: origin)
        noteHoles(in: commit, from: origin)
        follow(commit)
    }

    /// Makes the open collections be read again, because another process has made commits.
    mutating func missCommits() {
        noteChangeOfFigures()
        for id in timelines.ids {
            timelines[id]?.missCommits()
            satisfy(.reread, of: id)
        }
        for id in lists.ids {
            lists[id]?.missCommits()
            reread(id)
        }
        for id in inboxes.ids {
            inboxes[id]?.missCommits()
            advance(id)
        }
    }

    /// Makes the timelines of a channel be read again before they lose the mark of a change that
    /// another process has made.
    mutating func readAgain(_ channel: ChannelURL) {
        for id in timelines.ids(of: channel) {
            timelines[id]?.missCommits()
            satisfy(.reread, of: id)
        }
    }

    /// Catches open timelines up if a commit shows that they are incomplete.
    private mutating func follow(_ commit: Commit) {
        guard session != nil else { return }
        for change in commit.changes {
            switch change {
            case .channels(let change):
                guard !timelines.isEmpty else { continue }
                for channel in change.joined where !timelines.ids(of: channel).isEmpty {
                    catchUp(channel, .anyway)
                }
            case .messages(let change):
                guard let end = session?.gapEnds[change.channel], change.takesCounted(upTo: end)
                else { continue }
                session?.gapEnds[change.channel] = nil
                session?.loseEnd(of: change.channel)
                if !timelines.ids(of: change.channel).isEmpty { catchUp(change.channel, .anyway) }
            case .users: break
            }
        }
    }
}

extension ChannelsChange {
    /// The channels that the user has joined or rejoined: the server sent no events of them before.
    fileprivate var joined: [ChannelURL] {
        inserted.filter { $0.myState == .joined }.map(\.url)
            + updated.filter { $0.before.myState != .joined && $0.after.myState == .joined }
            .map(\.after.url)
    }
}

extension MessagesChange {
    /// Whether a part of the coverage is gone.
    fileprivate var losesCoverage: Bool {
        guard coverageAfter != coverageBefore else { return false }
        return coverageBefore.ranges.contains { range in
            guard let kept = coverageAfter.range(containing: range.upper) else { return true }
            return kept.lower > range.lower
        }
    }

    /// Returns whether a message that a gap answer has counted was removed; the answer is void
    /// then.
    fileprivate func takesCounted(upTo end: Position) -> Bool {
        if let cutThrough, cutThrough >= end.createdAt { return true }
        return deleted.contains { $0.isCounted(upTo: end) }
    }
}

extension Message {
    /// Returns whether the message is among those of a covered end's moment that the gap question
    /// counts.
    fileprivate func isCounted(upTo end: Position) -> Bool {
        position.map { $0.createdAt == end.createdAt && $0 <= end } == true
    }
}

extension SyncState {
    /// Whether the present step has no further decisions to emit.
    var isSettled: Bool {
        step.isEmpty && !hasConnected
    }

    /// Adds the changes of the open collections to the notices.
    mutating func publishCollections() {
        timelines.changeEach { id, timeline in
            for change in timeline?.takePublications() ?? [] {
                step.notices.append(.timelineChanged(id, change))
            }
        }
        lists.changeEach { id, list in
            for change in list?.takePublications() ?? [] {
                step.notices.append(.listChanged(id, change))
            }
        }
    }
}
