// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The number of an open channel list.
package struct ListID: Hashable, Codable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }
}

/// A page of cached channels, as of one commit.
package struct CachedChannels: Equatable, Codable, Sendable {
    package let channels: [GroupChannel]
    package let hasMore: Bool
    /// Whether the disk has all of the user's channels.
    package let isWhole: Bool
    package let sequence: Int64

    package init(channels: [GroupChannel], hasMore: Bool, isWhole: Bool, sequence: Int64) {
        self.channels = channels
        self.hasMore = hasMore
        self.isWhole = isWhole
        self.sequence = sequence
    }
}

/// A channel list that an app has open.
///
/// Commits are applied as they come, but wait while the list is read, because the read may contain
/// them.
package struct OpenList: Codable, Sendable {
    package let id: ListID
    package let query: ChannelListQuery
    package private(set) var list: ChannelListMachine
    /// The number of channels to show, if there are enough.
    private var wanted: Int
    /// The place at which the server's list continues; nil before its first page, "" at its end.
    package private(set) var token: String?
    private var walk = PageWalk<String, ChannelURL>(from: nil)
    /// The reason why the server's first page is missing; nil with the page, and before its
    /// request.
    package private(set) var serverFailure: RoostError?
    package var isPaging = false
    package var reads = ReadQueue()
    private var backlog = Backlog()
    /// The marks that have changed during a read.
    private var nextMarks: [ChannelURL: ChannelMarks?] = [:]
    /// Whether the list shows the changes of messages and the read marks that wait in the outbox.
    private let showsChanges: Bool
    private var publishedHasMore: Bool?
    /// The values of channels before and after the commits since the list fell behind.
    private var missed = ChannelValues()
    /// The shown channels that the user is leaving; their removal follows.
    private var left: [ChannelURL] = []
    /// The changes since the last step, for the readers of the list.
    private var publications: [ListDiff<GroupChannel>] = []

    package init(
        _ id: ListID, _ query: ChannelListQuery, viewer: UserID, showsChanges: Bool = true
    ) {
        self.id = id
        self.showsChanges = showsChanges
        // A decoded query may have a page of any size.
        let query = ChannelListQuery(
            query.filter, order: query.order, pageSize: query.pageSize)
        self.query = query
        wanted = query.pageSize
        list = ChannelListMachine(order: query.order, filter: query.filter, viewer: viewer)
    }

    /// Whether marks have changed during the read that is under way.
    package var hasWaitingMarks: Bool { !nextMarks.isEmpty }

    /// Returns the changes since the last call.
    mutating func takePublications() -> [ListDiff<GroupChannel>] {
        guard !publications.isEmpty else { return [] }
        defer { publications = [] }
        return publications
    }

    /// The number of channels to read.
    ///
    /// Shown channels stay, whatever brought them (scar 92).
    var limit: Int { max(wanted, list.channels.count) + list.leftOut }

    /// Requests one more page; live channels may have made the list longer than its pages.
    mutating func wantMore() {
        let count = list.channels.count
        if count >= wanted { wanted = count + query.pageSize }
    }

    /// Notes that the disk has all channels, so that the server is not asked.
    mutating func reachEnd() { token = "" }

    /// Notes a page of the server.
    ///
    /// - Parameters:
    ///   - channels: The channels of the page.
    ///   - place: The token at which the page was requested.
    ///   - next: The token of the next page.
    /// - Returns: Whether further pages are expected. A server that gives endless pages without
    ///   channels gets no request at every scroll.
    mutating func note(_ channels: [ChannelURL], at place: String?, next: String) -> Bool {
        // Another request for the same page was answered first, or the list has begun anew.
        guard token == place else { return true }
        guard next.isEmpty || walk.goesOn(to: next, after: channels) else {
            walk = PageWalk(from: token)
            return false
        }
        token = next
        return true
    }

    /// Forgets the server's list, because the cache was cleared.
    mutating func beginAnew() {
        token = nil
        walk = PageWalk(from: nil)
        backlog.note(.upkeep)
    }

    /// Takes the result of a catch-up, nil for success; a page that was shown before stays valid.
    mutating func endCatchUp(_ error: RoostError?) { serverFailure = token == nil ? error : nil }

    /// Whether a read contains commits that have not reached the list.
    func lacks(_ page: CachedChannels) -> Bool {
        backlog.lacks(page.sequence, showing: list.sequence)
    }

    /// Shows a read, then the commits after it; nil for a failed read.
    ///
    /// - Returns: Whether the list has to be read again.
    mutating func show(
        _ page: CachedChannels?, marked: [GroupChannel] = [],
        previews: [ChannelURL: ChannelPreview] = [:], from origin: ChangeOrigin?
    ) -> Bool {
        if let page {
            let origins = backlog.origins(
                of: origin, through: page.sequence, \.concernsChannels)
            let serverHasMore = !page.isWhole && token.map { !$0.isEmpty } ?? true
            var news = missed
            missed = ChannelValues()
            for commit in backlog.commits(through: page.sequence) { news.note(commit) }
            var diff = list.replace(
                with: page.channels, marked: marked, previews: previews,
                hasMore: page.hasMore || serverHasMore, isCut: page.hasMore,
                sequence: page.sequence)
            if !origins.isDisjoint(with: [.event, .answer, .local]) {
                diff.counterparts = diff.inserted.compactMap { news.before($0) }
                diff.counterparts += diff.deleted.compactMap { news.after($0) }
            }
            publish(diff, from: origins)
        }
        for entry in backlog.takeCommits() { apply(entry.commit, from: entry.origin) }
        for (channel, marks) in nextMarks.sorted(by: { $0.key < $1.key }) {
            publish(list.mark(channel, marks), from: [.local])
        }
        nextMarks = [:]
        return page != nil && list.isBehind
    }

    /// Takes one commit; commits come in order.
    ///
    /// - Returns: Whether the list has to be read again.
    mutating func receive(_ commit: Commit, from origin: ChangeOrigin) -> Bool {
        guard !reads.isUnderWay else {
            backlog.wait(with: commit, from: origin)
            return false
        }
        apply(commit, from: origin)
        return list.isBehind
    }

    /// Sets the marks of all channels, before the first read.
    mutating func mark(_ marks: [ChannelURL: ChannelMarks]) {
        list.mark(showsChanges ? marks : marks.mapValues(\.ofChannelOnly))
    }

    /// Sets the marks of a channel.
    ///
    /// During a read they wait for its end: the commit with the effect of a change that was made
    /// may wait too, and the old state must not be shown once more.
    ///
    /// - Returns: Whether the list has to be read again.
    mutating func mark(_ channel: ChannelURL, _ marks: ChannelMarks?) -> Bool {
        let marks = showsChanges ? marks : marks?.ofChannelOnly
        if reads.isUnderWay {
            nextMarks[channel] = .some(marks)
            return false
        }
        publish(list.mark(channel, marks), from: [.local])
        return list.isBehind
    }

    /// Notes that the user has left a channel.
    mutating func noteLeaving(_ channel: ChannelURL) {
        if list.shows(channel), !left.contains(channel) { left.append(channel) }
    }

    /// Notes that unknown commits were made.
    mutating func missCommits() {
        list.missCommits()
        backlog.note(.otherProcess)
    }

    private mutating func apply(_ commit: Commit, from origin: ChangeOrigin) {
        let diff = list.apply(commit)
        publish(diff, from: [origin])
        guard list.isBehind else { return }
        backlog.note(origin)
        missed.note(commit)
        missed.settle((diff.updated.map(\.after) + diff.deleted).map(\.url))
    }

    private mutating func publish(
        _ diff: ListDiff<GroupChannel>, from origins: Set<ChangeOrigin>
    ) {
        guard !diff.isEmpty || list.hasMore != publishedHasMore else { return }
        publishedHasMore = list.hasMore
        var diff = diff.withOrigins(origins)
        for channel in diff.deleted {
            guard let index = left.firstIndex(of: channel.url) else { continue }
            left.remove(at: index)
            var after = channel
            after.myState = .none
            diff.counterparts.append(after)
        }
        publications.append(diff)
    }
}

/// The values of channels before and after some commits.
private struct ChannelValues: Codable, Sendable {
    private struct Entry: Codable, Sendable {
        /// Nil for a new channel.
        let before: GroupChannel?
        /// Nil for a removed one.
        var after: GroupChannel?
    }

    private var entries: [ChannelURL: Entry] = [:]

    mutating func note(_ commit: Commit) {
        for case .channels(let change) in commit.changes {
            for channel in change.inserted { note(channel.url, from: nil, to: channel) }
            for update in change.updated {
                note(update.after.url, from: update.before, to: update.after)
            }
            for url in change.deleted { note(url, from: nil, to: nil) }
        }
    }

    private mutating func note(
        _ url: ChannelURL, from before: GroupChannel?, to after: GroupChannel?
    ) {
        let first = entries[url].map(\.before) ?? before
        entries[url] = Entry(before: first, after: after)
    }

    /// Notes that readers of the list know the present values of channels.
    mutating func settle(_ urls: [ChannelURL]) {
        for url in urls {
            guard let entry = entries[url] else { continue }
            entries[url] = Entry(before: entry.after, after: entry.after)
        }
    }

    /// Returns the earlier value of a channel that is new in a list; without a change it was merely
    /// read.
    func before(_ channel: GroupChannel) -> GroupChannel? {
        entries[channel.url].map(\.before) ?? channel
    }

    /// Returns the later value of a channel that a list has no longer; without a change another
    /// channel took its place.
    func after(_ channel: GroupChannel) -> GroupChannel? {
        entries[channel.url].map(\.after) ?? channel
    }
}
