// SPDX-License-Identifier: Apache-2.0

// The walk through the user's channels, page by page until the disk has all of them.
//
// The newest channel comes first, and a channel's age never changes, so no channel can move past
// the end of a page (scars 100, 102). Changes during the walk come live or with the change log,
// whose cursor is before the first page. A page and the place behind it are one transaction.

import RoostModel
import RoostWire

/// The walk through the list of the user's channels; one runs at a time.
package struct ListFill: SyncOperation {
    /// The channels of a page; the server gives no more.
    private static let pageSize = 100

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingPlace
        case pacing(Cursor?)
        case asking(Cursor?, ChannelLedger.Mark)
        case committing(next: Cursor, stale: [ChannelURL], channels: [ChannelURL])
        case forgettingPlace
    }

    private var epoch: LinkMachine.Epoch?
    private var expected: Cursor?
    private var walk: PageWalk<Cursor, ChannelURL>?
    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        let step = decide(reply, &sync)
        if case .end(let outcome) = step, sync.isPresent(epoch) {
            sync.session?.isFilling = false
            sync.session?.isFilled = outcome == .done
            sync.wakeDownloads()
        }
        return step
    }

    private mutating func decide(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            // An operation that finds a running walk leaves the list to it.
            guard let session = sync.session, !session.isFilling else {
                return .end(.done)
            }
            epoch = session.epoch
            sync.session?.isFilling = true
            return readPlace()
        case (.readingPlace, .read(.success(.cursor(let place)))): return choose(place, &sync)
        case (.pacing(let place), .paused): return ask(at: place, &sync)
        case (.asking(let place, let mark), .answer(let result)):
            guard case .success(.myChannels(let page)) = result else {
                sync.channelLedger.end()
                return recover(from: reply.error, at: place)
            }
            return store(page, at: place, since: mark, &sync)
        case (.committing(let next, let stale, let channels), .committed(let result)):
            sync.channelLedger.end()
            guard case .success = result else { return .fail(reply) }
            if sync.isPresent(epoch) { sync.session?.fetchedChannels += channels.count }
            for channel in stale { sync.lookUp(channel) }
            return goOn(to: next, after: channels)
        case (.forgettingPlace, .committed(.success)):
            expected = nil
            return readPlace()
        default: return .fail(reply)
        }
    }

    private mutating func readPlace() -> Step {
        state = .readingPlace
        return .need(.read(.cursor(.channelFill)))
    }

    private mutating func choose(_ place: Cursor?, _ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch), place != .listEnd else { return .end(.done) }
        // If the cache was cleared meanwhile, another walk begins.
        if walk == nil || place != expected { walk = PageWalk(from: place) }
        expected = place
        state = .pacing(place)
        return sync.spendRequest() ?? ask(at: place, &sync)
    }

    private mutating func ask(at place: Cursor?, _ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else {
            return sync.returnRequest()
        }
        state = .asking(place, sync.channelLedger.begin())
        return .need(
            .ask(
                .myChannels(
                    ListMyChannels(
                        userID: sync.me, token: place?.token ?? "", limit: Self.pageSize,
                        order: .chronological, filters: ChannelFilter.everything.query))))
    }

    private mutating func recover(from error: RoostError, at place: Cursor?) -> Step {
        // The server no longer accepts the token: the walk restarts.
        guard error.code == .invalidValue, place != nil else { return .fail(error) }
        guard walk?.mayBeginAgain() ?? false else { return .fail(.stalled) }
        state = .forgettingPlace
        return .need(.commit([.removeCursor(.channelFill)], .page))
    }

    private mutating func store(
        _ page: RoostWire.ChannelPage, at place: Cursor?, since mark: ChannelLedger.Mark,
        _ sync: inout SyncState
    ) -> Step {
        guard sync.isPresent(epoch) else {
            sync.channelLedger.end()
            return .fail(.notConnected)
        }
        let next = page.next.isEmpty ? Cursor.listEnd : .token(page.next)
        let (mutations, stale) = sync.accept(page.channels, since: mark)
        state = .committing(next: next, stale: stale, channels: page.channels.map(\.url))
        // If the cache was cleared meanwhile, the pages before this one are gone: the walk
        // restarts.
        return .need(
            .commit(
                mutations + [.cursor(.channelFill, next)] + sync.firstListCursor, .page,
                unless: .cursorMoved(.channelFill, from: place)))
    }

    private mutating func goOn(to next: Cursor, after channels: [ChannelURL]) -> Step {
        expected = next
        // Without progress the requests would never end (scar 141).
        if next != .listEnd, !(walk?.goesOn(to: next, after: channels) ?? true) {
            return .fail(.stalled)
        }
        return readPlace()
    }
}

extension Cursor {
    /// The place of a list that has been read to its end.
    package static let listEnd = Cursor.token("")

    var token: String? { if case .token(let token) = self { token } else { nil } }
}
