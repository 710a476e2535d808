// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// A read of an open list from disk.
package struct ListRead: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case queued
        case reading
        /// The channels with waiting changes that are not on the page are being read.
        case readingMarked([ChannelURL], CachedChannels)
        /// The messages before deleted last messages are being read.
        case readingPreviews([Message], CachedChannels)
        case awaitingCommits(CachedChannels)
    }

    package let list: ListID
    /// Nil if only commits made the read necessary.
    package let origin: ChangeOrigin?
    private var marked: [GroupChannel] = []
    private var previews: [ChannelURL: ChannelPreview] = [:]
    private var state = State.beginning

    package init(_ list: ListID, from origin: ChangeOrigin?) {
        self.list = list
        self.origin = origin
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        guard let open = sync.lists[list] else { return .end(.done) }
        switch (state, reply) {
        case (.beginning, .begin):
            guard sync.lists[list]?.reads.enter() == true else {
                state = .queued
                return .need(.wait(.listRead(list)))
            }
            return read(open)
        case (.queued, .woken): return read(open)
        case (.reading, .read(.success(.channels(let page)))):
            (marked, previews) = ([], [:])
            let shown = Set(page.channels.map(\.url))
            return readMarked(
                open.list.changedChannels.filter { !shown.contains($0) }, page, open, &sync)
        case (.readingMarked(let channels, let page), .read(let result)):
            // A channel that cannot be read is left out; the next read tries again.
            if case .success(.channel(let channel?)) = result { marked.append(channel) }
            return readMarked(Array(channels.dropFirst()), page, open, &sync)
        case (.readingPreviews(let deleted, let page), .read(let result)):
            if let last = deleted.first, case .success(.window(let found)) = result {
                let channel = last.channelURL
                previews[channel] = open.list.preview(
                    of: channel, in: found.messages, before: last)
            }
            return readPreviews(Array(deleted.dropFirst()), page, open, &sync)
        case (.awaitingCommits(let page), .woken): return show(page, &sync)
        case (.reading, _):
            _ = show(nil, &sync)
            return .fail(reply)
        default: return .fail(reply)
        }
    }

    private mutating func readMarked(
        _ channels: [ChannelURL], _ page: CachedChannels, _ open: OpenList,
        _ sync: inout SyncState
    ) -> Step {
        guard let next = channels.first else {
            return readPreviews(
                (page.channels + marked).compactMap(open.list.deletedPreview), page, open, &sync)
        }
        state = .readingMarked(channels, page)
        return .need(.read(.channel(next)))
    }

    private mutating func readPreviews(
        _ deleted: [Message], _ page: CachedChannels, _ open: OpenList, _ sync: inout SyncState
    ) -> Step {
        guard let next = deleted.first else {
            // The read may contain commits that have not reached the list yet.
            if open.lacks(page) {
                state = .awaitingCommits(page)
                return .need(.deliverCommits)
            }
            return show(page, &sync)
        }
        state = .readingPreviews(deleted, page)
        return .need(.read(.window(WindowQuery(before: next))))
    }

    private mutating func read(_ open: OpenList) -> Step {
        state = .reading
        return .need(.read(.channels(open.query.filter, open.query.order, limit: open.limit)))
    }

    private func show(_ page: CachedChannels?, _ sync: inout SyncState) -> Step {
        let isBehind =
            sync.lists[list]?.show(page, marked: marked, previews: previews, from: origin) == true
        // A failed read leaves the list unchanged; the next commit requests another.
        if isBehind { sync.reread(list) }
        if sync.lists[list]?.reads.leave() == true { sync.wakeFirst(.listRead(list)) }
        return .end(.done)
    }
}

/// The storage of the next page of the server's list.
package struct ListPage: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingPlace
        /// The page at a token is requested; nil is the first one.
        case asking(ChannelLedger.Mark, at: String?)
        case committing(stale: [ChannelURL], channels: [ChannelURL], at: String?, next: String)
    }

    package let list: ListID
    private var state = State.beginning

    package init(_ list: ListID) { self.list = list }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard let open = sync.lists[list], open.token != "", sync.session != nil else {
                return .end(.done)
            }
            state = .readingPlace
            return .need(.read(.cursor(.channelFill)))
        case (.readingPlace, .read(.success(.cursor(.listEnd?)))):
            sync.lists[list]?.reachEnd()
            return .end(.done)
        case (.readingPlace, .read(.success(.cursor))): return ask(&sync)
        case (.asking(let mark, let place), .answer(let result)):
            guard case .success(.myChannels(let page)) = result else {
                sync.channelLedger.end()
                return .fail(reply)
            }
            let (mutations, stale) = sync.accept(page.channels, since: mark)
            state = .committing(
                stale: stale, channels: page.channels.map(\.url), at: place, next: page.next)
            return .need(.commit(mutations + sync.firstListCursor, .page))
        case (.committing(let stale, let channels, let place, let next), .committed(let result)):
            sync.channelLedger.end()
            guard case .success = result else { return .fail(reply) }
            for channel in stale { sync.lookUp(channel) }
            let leadsOn = sync.lists[list]?.note(channels, at: place, next: next) ?? true
            return leadsOn ? .end(.done) : .fail(.stalled)
        default: return .fail(reply)
        }
    }

    private mutating func ask(_ sync: inout SyncState) -> Step {
        guard let open = sync.lists[list] else { return .end(.done) }
        guard sync.session != nil else { return .fail(.notConnected) }
        let filter = open.query.filter
        state = .asking(sync.channelLedger.begin(), at: open.token)
        return .need(
            .ask(
                .myChannels(
                    ListMyChannels(
                        userID: sync.me, token: open.token ?? "", limit: open.query.pageSize,
                        order: open.query.order, showsEmpty: filter.includesEmpty,
                        showsFrozen: filter.includesFrozen, filters: filter.query))))
    }
}

/// The first page of the server's list for an open list, unless it was shown before.
package struct ListSynchronization: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, loading, reading }

    package let list: ListID
    private var state = State.beginning

    package init(_ list: ListID) { self.list = list }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard let open = sync.lists[list], open.token == nil else { return .end(.done) }
            state = .loading
            return .need(.run(.listPage(ListPage(list))))
        case (.loading, .ended(.done)):
            state = .reading
            return .need(.run(.listRead(ListRead(list, from: .page))))
        case (.reading, .ended(.done)):
            sync.wakeAll(.listArrival(list), nil)
            return .end(.done)
        default: return .fail(reply)
        }
    }
}

/// The opening of a list: it shows the cached list, and the server's page follows.
package struct ListOpening: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, reading }

    package let list: ListID
    private var state = State.beginning

    package init(_ list: ListID) { self.list = list }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard !sync.isClosed else {
                sync.close(list)
                return .fail(.clientClosed)
            }
            state = .reading
            return .need(.run(.listRead(ListRead(list, from: .disk))))
        case (.reading, .ended(.done)):
            if sync.session != nil { sync.catchUpChannels() }
            return .end(.done)
        default:
            sync.close(list)
            return .fail(reply)
        }
    }
}

/// One more page of a list, from the server if it is reachable and else from disk.
package struct ListPaging: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case loading
        case reading
        /// Reads the disk, because the server failed to answer.
        case readingDisk(RoostError)
    }

    package let list: ListID
    private var before = 0
    private var state = State.beginning

    package init(_ list: ListID) { self.list = list }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        let step = decide(reply, &sync)
        if case .end = step, state != .beginning { sync.lists[list]?.isPaging = false }
        return step
    }

    private mutating func decide(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard let open = sync.lists[list] else { return .fail(.listClosed) }
            guard !open.isPaging else { return .fail(.listPaging) }
            before = open.list.channels.count
            sync.lists[list]?.isPaging = true
            sync.lists[list]?.wantMore()
            state = .loading
            return .need(.run(.listPage(ListPage(list))))
        case (.loading, .ended(.failed(let error))):
            state = .readingDisk(error)
            return .need(.run(.listRead(ListRead(list, from: .disk))))
        case (.loading, .ended):
            state = .reading
            return .need(.run(.listRead(ListRead(list, from: .page))))
        case (.reading, .ended(.done)):
            let count = sync.lists[list]?.list.channels.count ?? before
            return .end(.count(max(0, count - before)))
        case (.readingDisk(let error), .ended(.done)): return .fail(error)
        default: return .fail(reply)
        }
    }
}

/// The wait for the server's first page of a list; the opening or the connection requested it.
package struct ListArrival: SyncOperation {
    package let list: ListID

    package init(_ list: ListID) { self.list = list }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch reply {
        case .begin, .woken(nil):
            guard let open = sync.lists[list] else { return .fail(.listClosed) }
            guard open.token == nil else { return .end(.done) }
            if let failure = open.serverFailure { return .fail(failure) }
            guard sync.session != nil else { return .fail(.notConnected) }
            // An update that began before the opening ends without a page of this list.
            return .need(.wait(.listArrival(list)))
        default: return .fail(reply)
        }
    }
}

extension SyncState {
    /// Reads a list again, unless a read that has not begun will show the same.
    mutating func reread(_ list: ListID) {
        start(.listRead(ListRead(list, from: nil)), unlessWaitingIn: lists[list]?.reads)
    }

    package mutating func close(_ list: ListID) {
        lists[list] = nil
        wakeAll(.listRead(list), nil)
        wakeAll(.listArrival(list), nil)
    }

    /// Gives all open lists the result of a catch-up, nil for success.
    mutating func endCatchUpOfLists(_ error: RoostError?) {
        for list in lists.ids {
            lists[list]?.endCatchUp(error)
            wakeAll(.listArrival(list), nil)
        }
    }
}

extension RoostError {
    package static let listClosed = RoostError(
        .collectionDisposed, remedy: .none, message: "This channel list has been closed.")
    static let listPaging = RoostError(
        .queryInProgress, remedy: .retry,
        message: "Another page of this channel list is being loaded.")
}
