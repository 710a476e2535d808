// SPDX-License-Identifier: Apache-2.0

// One reader of an inbox: the places in its channels, and the page that is being handed over.
//
// The reader looks at one channel at a time, those with news first. A look reads a page after the
// channel's place. If the page lies behind a hole, a fetch for that channel begins, and the reader
// goes on to other channels; the end of the fetch brings the channel back. So one page is in
// memory, and a channel is fetched page by page as the app takes its messages.

package import RoostModel

/// The number of a reader of an inbox.
package struct InboxID: Hashable, Comparable, Codable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A request to the server that a channel needs before its next messages are handed over.
package enum InboxNeed: Hashable, Codable, Sendable {
    /// The change log of the channel's messages.
    case changes
    /// The page after a position.
    case page(after: Position)
}

/// An inbox that an app is reading.
package struct OpenInbox: Codable, Sendable {
    /// The messages of a page.
    package static let pageSize = 50
    /// The most channels that are fetched at the same time.
    private static let fetchLimit = 4

    /// The stage of a channel's fetch.
    private enum Fetch: Equatable, Codable {
        case none
        case waiting(InboxNeed)
        case running
        /// The server has failed; the next attempt follows a pause.
        case resting
        /// The server has refused; the next connection asks again.
        case refused
    }

    private struct Place: Codable {
        /// The position through which messages were handed over in this process, or acknowledged.
        var handed: Position
        /// The newest message by the list of channels.
        var latest: Position?
        /// Whether the cached messages are as of the present connection.
        var isChecked = false
        var fetch = Fetch.none
        /// The number of failures in a row.
        var failures = 0
        /// The last fetched page with the end of coverage at that time.
        var lastFetch: Attempt?
        /// Whether that page has changed nothing.
        var isStalled = false
    }

    private struct Attempt: Equatable, Codable {
        let after: Position
        let newest: Position?
    }

    private struct Page: Codable {
        let channel: ChannelURL
        /// The newest first, so that the next one is the last.
        var messages: [Message]
    }

    package let id: InboxID
    package let name: String
    /// The place at which channels without a mark begin.
    private let beginning: Position
    /// The marks of channels without a place.
    private var marks: [ChannelURL: Position]
    private var places: [ChannelURL: Place] = [:]
    private var page: Page?
    /// The channels to look at: those with news, and then the others.
    private var urgent = ChannelQueue()
    private var others = ChannelQueue()
    private var fetches = ChannelQueue()
    private var runningFetches = 0
    /// The channel that is being read, and whether its messages have changed since.
    private var reading: ChannelURL?
    private var isReadingStale = false
    /// The channels with a fetched page that was not looked at.
    private var fetched: Set<ChannelURL> = []
    /// Whether the user's channels on disk were read, or are being read, since the last commits that
    /// were missed.
    package private(set) var isListed = false
    /// Whether an operation of the reader runs; there is one at a time.
    package var isTaking = false

    package init(
        _ id: InboxID, _ name: String, beginningAt beginning: Position,
        marks: [ChannelURL: Position]
    ) {
        self.id = id
        self.name = name
        self.beginning = beginning
        self.marks = marks
    }
}

// MARK: - Channels

extension OpenInbox {
    /// The channels whose messages are being handed over or fetched; evicting them would only make
    /// the inbox fetch them again.
    package var channelsInUse: Set<ChannelURL> {
        var channels = fetched
        for channel in [page?.channel, reading] { if let channel { channels.insert(channel) } }
        for (channel, place) in places where place.fetch == .running { channels.insert(channel) }
        return channels
    }

    /// Whether a channel waits to be looked at, or the channels on disk do.
    package var hasWork: Bool { !isListed || page != nil || !urgent.isEmpty || !others.isEmpty }

    /// Begins a reading of the user's channels on disk; commits that are missed during it need
    /// another one.
    mutating func beginListing() { isListed = true }

    /// Takes the user's channels on disk.
    mutating func list(_ channels: [GroupChannel]) { for channel in channels { learn(channel) } }

    /// Ends a reading of the channels that has failed.
    mutating func abandonListing() { isListed = false }

    /// Makes the channels on disk be read again, because commits were missed.
    mutating func missCommits() {
        isListed = false
        page = nil
        isReadingStale = true
        lookAgain()
    }

    /// Looks at every channel again.
    mutating func lookAgain() { for channel in places.keys.sorted() { look(at: channel) } }

    /// Looks at a channel again.
    mutating func look(at channel: ChannelURL, isUrgent: Bool = false) {
        guard let place = places[channel] else { return }
        let hasNews = isUrgent || place.latest.map { $0 > place.handed } ?? false
        if hasNews { urgent.append(channel) } else { others.append(channel) }
    }

    /// Looks at every channel again, because a connection has begun: nothing is known about the
    /// time without one.
    mutating func beginSession() {
        page = nil
        isReadingStale = true
        for channel in places.keys {
            places[channel]?.isChecked = false
            places[channel]?.failures = 0
            places[channel]?.lastFetch = nil
            places[channel]?.isStalled = false
            if places[channel]?.fetch == .refused { places[channel]?.fetch = .none }
        }
        lookAgain()
    }

    /// Takes a channel of the user in its present state.
    private mutating func learn(_ channel: GroupChannel) {
        guard channel.myState == .joined else { return forget(channel.url) }
        let floor = floor(of: channel)
        let latest = [channel.lastMessage?.position, channel.latestMessage].compactMap { $0 }.max()
        if let place = places[channel.url] {
            places[channel.url]?.latest = latest
            places[channel.url]?.handed = max(place.handed, floor)
            guard place.fetch == .refused else { return }
            places[channel.url]?.fetch = .none
        } else {
            let mark = marks.removeValue(forKey: channel.url) ?? beginning
            places[channel.url] = Place(handed: max(mark, floor), latest: latest)
        }
        look(at: channel.url)
    }

    /// Returns the position before which no message of a channel is handed over.
    ///
    /// A channel that was joined later begins with the invitation. Messages at or before its offset
    /// are invisible.
    private func floor(of channel: GroupChannel) -> Position {
        var floor = beginning
        // From its beginning, an inbox has all messages that the user may see.
        if beginning.createdAt > .beginning,
            let joined = [channel.invitedAt, channel.joinedAt].compactMap({ $0 }).min()
        {
            floor = max(floor, Position(createdAt: joined, messageID: MessageID(.min)))
        }
        for offset in [channel.messageOffset, channel.purgeOffset] {
            guard let offset else { continue }
            floor = max(floor, Position(createdAt: offset, messageID: MessageID(.max)))
        }
        return floor
    }

    private mutating func forget(_ channel: ChannelURL) {
        guard let place = places.removeValue(forKey: channel) else { return }
        // A cleared cache forgets channels that come back.
        marks[channel] = place.handed
        if place.fetch == .running { runningFetches -= 1 }
        fetched.remove(channel)
        if page?.channel == channel { page = nil }
        if reading == channel { isReadingStale = true }
    }

    /// Takes a commit; commits come in order.
    mutating func receive(_ commit: Commit) {
        for change in commit.changes {
            switch change {
            case .users: break
            case .channels(let change):
                for channel in change.inserted { learn(channel) }
                for update in change.updated { learn(update.after) }
                for channel in change.deleted { forget(channel) }
            case .messages(let change): receive(change)
            }
        }
    }

    private mutating func receive(_ change: MessagesChange) {
        guard let place = places[change.channel] else { return }
        if let cut = change.cutThrough {
            let end = Position(createdAt: cut, messageID: MessageID(.max))
            places[change.channel]?.handed = max(place.handed, end)
        }
        if change.cutThrough != nil || !change.updated.isEmpty || !change.deleted.isEmpty {
            if page?.channel == change.channel { page = nil }
            if reading == change.channel { isReadingStale = true }
        }
        look(at: change.channel, isUrgent: true)
    }
}

// MARK: - Messages

extension OpenInbox {
    /// Takes the next message of the page.
    mutating func takeMessage() -> Message? {
        guard let message = page?.messages.popLast(), let channel = page?.channel else {
            page = nil
            return nil
        }
        if let position = message.position { places[channel]?.handed = position }
        if page?.messages.isEmpty == true {
            page = nil
            look(at: channel)
        }
        return message
    }

    /// Begins a look at the next channel.
    ///
    /// - Returns: The query of the messages after the channel's place; nil if no channel waits.
    mutating func beginLook() -> WindowQuery? {
        while let channel = urgent.takeFirst() ?? others.takeFirst() {
            guard let place = places[channel] else { continue }
            (reading, isReadingStale) = (channel, false)
            let next = place.handed.next
            return WindowQuery(
                channel: channel, lower: next, upper: next, olderCount: 0,
                newerCount: Self.pageSize)
        }
        return nil
    }

    /// The channel of the present look.
    var channelInSight: ChannelURL? { reading }

    /// Ends a look whose read has failed.
    mutating func abandonLook() {
        if let channel = reading { look(at: channel) }
        reading = nil
    }

    /// Ends a look with the messages after the channel's place.
    mutating func endLook(
        _ window: CacheWindow, me: UserID, liveEnd: Position?, isConnected: Bool
    ) {
        guard let channel = reading else { return }
        reading = nil
        guard let place = places[channel] else { return }
        if isReadingStale { return look(at: channel, isUrgent: true) }
        fetched.remove(channel)
        let step = InboxStep(
            window, after: place.handed, isChecked: place.isChecked, liveEnd: liveEnd,
            isConnected: isConnected)
        // Without cached messages after the place there is nothing that could have changed. The
        // window ends at the next hole, so later ranges may have some.
        let hasLater = window.coverage.newest.map { $0.upper > place.handed } ?? false
        if isConnected, window.messages.isEmpty, step == .rest || !hasLater {
            places[channel]?.isChecked = true
        }
        switch step {
        case .hand(let messages):
            let last = messages.last?.position ?? place.handed
            let theirs = messages.filter { $0.sender?.user.id != me }
            if theirs.isEmpty {
                places[channel]?.handed = last
                look(at: channel)
            } else {
                page = Page(channel: channel, messages: theirs.reversed())
            }
        case .check: request(.changes, in: channel)
        case .fetch(let end):
            guard place.fetch == .none else { return }
            let attempt = Attempt(after: end, newest: window.coverage.newest?.upper)
            places[channel]?.isStalled = place.lastFetch == attempt
            places[channel]?.lastFetch = attempt
            request(.page(after: end), in: channel)
        case .rest: places[channel]?.failures = 0
        case .wait: break
        }
    }
}

// MARK: - Fetches

extension OpenInbox {
    private mutating func request(_ need: InboxNeed, in channel: ChannelURL) {
        guard places[channel]?.fetch == Fetch.none else { return }
        places[channel]?.fetch = .waiting(need)
        fetches.append(channel)
    }

    /// Takes the next fetch to begin; nil if as many run as are allowed.
    ///
    /// A stalled fetch rests first, because its last page has changed nothing.
    mutating func beginFetch() -> (channel: ChannelURL, need: InboxNeed, isStalled: Bool)? {
        guard runningFetches < Self.fetchLimit else { return nil }
        while let channel = fetches.takeFirst() {
            guard let place = places[channel], case .waiting(let need) = place.fetch else {
                continue
            }
            places[channel]?.fetch = .running
            runningFetches += 1
            return (channel, need, place.isStalled)
        }
        return nil
    }

    /// Ends a fetch: the channel is looked at again.
    mutating func endFetch(of channel: ChannelURL, isChecked: Bool, movesOn: Bool) {
        guard leaveFetch(of: channel, .none) else { return }
        if isChecked { places[channel]?.isChecked = true }
        if movesOn { places[channel]?.failures = 0 }
        fetched.insert(channel)
        look(at: channel, isUrgent: true)
    }

    /// Ends a fetch that the server has refused for good, until the next connection.
    mutating func refuseFetch(of channel: ChannelURL) { _ = leaveFetch(of: channel, .refused) }

    /// Ends a fetch that failed; the channel rests until `endRest`.
    ///
    /// - Returns: The number of failures in a row.
    mutating func restFetch(of channel: ChannelURL) -> Int {
        guard leaveFetch(of: channel, .resting) else { return 1 }
        places[channel]?.failures += 1
        return places[channel]?.failures ?? 1
    }

    mutating func endRest(of channel: ChannelURL) {
        guard places[channel]?.fetch == .resting else { return }
        places[channel]?.fetch = .none
        places[channel]?.lastFetch = nil
        places[channel]?.isStalled = false
        look(at: channel, isUrgent: true)
    }

    /// Ends a running fetch; false if the channel was forgotten meanwhile.
    private mutating func leaveFetch(of channel: ChannelURL, _ fetch: Fetch) -> Bool {
        guard places[channel]?.fetch == .running else { return false }
        places[channel]?.fetch = fetch
        runningFetches -= 1
        return true
    }
}
