// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// The steps of one download in a `MachineScript`.
enum WalkScript {
    typealias Script = MachineScript

    static let id = DownloadID(1)
    /// The rest between two requests.
    static let rest = Duration.seconds(2)

    /// A state of a download in which only an event from outside continues it.
    enum Wait: CaseIterable {
        case offline, paused, resting, catchingUp, listFilling
    }

    /// A request of a download in flight.
    enum Request: CaseIterable {
        case fill, list, page

        /// The selection of a download that makes the request.
        var selection: [ChannelURL]? { self == .page ? [Script.channel] : nil }
    }

    static func request(
        _ channels: [ChannelURL]?, from start: Timestamp? = nil
    ) -> DownloadRequest {
        DownloadRequest(channels: channels, startingAt: start ?? .distantFuture, pause: rest)
    }

    static func begin(
        _ script: inout Script, _ channels: [ChannelURL]? = [Script.channel],
        from start: Timestamp? = nil
    ) -> [Script.Effect] {
        script.give(.download(id, .begin(request(channels, from: start))))
    }

    // MARK: Effects

    static func progress(_ effects: [Script.Effect]) -> DownloadProgress? {
        for case .downloadChanged(id, let progress) in effects.notices.reversed() {
            return progress
        }
        return nil
    }

    static func states(_ effects: [Script.Effect]) -> [DownloadProgress.State] {
        effects.notices.compactMap {
            if case .downloadChanged(id, let progress) = $0 { progress.state } else { nil }
        }
    }

    /// Returns the read with which a page begins.
    static func page(_ effects: [Script.Effect]) -> (id: Script.ID, of: ChannelURL)? {
        for case .read(let id, .coverage(let channel, under: .everything)) in effects {
            return (id, channel)
        }
        return nil
    }

    /// Returns the read with which the list of channels is filled.
    static func fill(_ effects: [Script.Effect]) -> Script.ID? {
        for case .read(let id, .cursor(.channelFill)) in effects.reversed() { return id }
        return nil
    }

    static func hasRequest(_ effects: [Script.Effect]) -> Bool {
        page(effects) != nil || fill(effects) != nil
    }

    static func hasArmed(_ effects: [Script.Effect]) -> Bool {
        effects.notices.contains {
            if case .arm(.download(id), _) = $0 { true } else { false }
        }
    }

    // MARK: Requests

    /// Answers a page with 200 messages from a moment on, of which the disk lacked one.
    static func fetch(
        _ script: inout Script, _ id: Script.ID, downTo moment: Int64
    ) throws -> [Script.Effect] {
        let known = CoveredRange(lower: Script.position(2_000), upper: Script.position(3_000))
        _ = script.read(id, .coverage(Coverage([known])))
        let asked = script.read(id, .holding(ChannelHolding(messages: 0, bytes: 0)))
        let isAsked = asked.contains {
            if case .ask(id, .messages, .connection) = $0 { true } else { false }
        }
        try #require(isAsked)
        let messages = (moment..<moment + 200).map { Script.message($0) }
        _ = script.answer(id, .messages(MessagePage(messages: messages, isContinuous: true)))
        _ = script.commit(id)
        return script.read(id, .holding(ChannelHolding(messages: 1, bytes: 0)))
    }

    /// Answers the reads with which a page begins, and returns its request.
    static func request(
        _ script: inout Script, _ effects: [Script.Effect], _ coverage: Coverage
    ) throws -> (id: Script.ID, call: ListMessages) {
        let id = try #require(page(effects)).id
        _ = script.read(id, .coverage(coverage))
        let asked = script.read(id, .holding(ChannelHolding(messages: 0, bytes: 0)))
        for case .ask(id, .messages(let call), .connection) in asked { return (id, call) }
        throw UnexpectedEffects(effects: asked)
    }

    /// Answers a request with messages, of which the disk lacked one.
    static func answer(
        _ script: inout Script, _ id: Script.ID, _ messages: ClosedRange<Int64>,
        hasNext: Bool? = nil
    ) -> [Script.Effect] {
        let page = MessagePage(
            messages: messages.map { Script.message($0) }, hasNext: hasNext, isContinuous: true)
        _ = script.answer(id, .messages(page))
        _ = script.commit(id)
        return script.read(id, .holding(ChannelHolding(messages: 1, bytes: 0)))
    }

    /// Answers the read of a channel that is covered to its first message: first by the newest page
    /// of the connection, then after the rest.
    static func complete(_ script: inout Script, _ id: Script.ID) -> [Script.Effect] {
        let all = CoveredRange(lower: .distantPast, upper: Script.position(3_000))
        let effects = script.read(id, .coverage(Coverage([all])))
        guard case .read(id, .holding)? = effects.first else { return effects }
        _ = script.read(id, .holding(ChannelHolding(messages: 1, bytes: 0)))
        let page = MessagePage(messages: [Script.message(9)], isContinuous: true)
        _ = script.answer(id, .messages(page))
        _ = script.commit(id)
        _ = script.read(id, .holding(ChannelHolding(messages: 1, bytes: 0)))
        guard let again = WalkScript.page(script.give(.fired(.download(WalkScript.id)))) else {
            return []
        }
        return script.read(again.id, .coverage(Coverage([all])))
    }

    /// Begins a download of all channels, and lists them.
    static func list(
        _ script: inout Script, _ channels: [ChannelURL], isWhole: Bool = true
    ) throws -> [Script.Effect] {
        let id = try reach(&script, .list, begin(&script, nil))
        let list = CachedChannels(
            channels: channels.map { Script.channel($0) }, hasMore: false, isWhole: isWhole,
            sequence: 1)
        return script.read(id, .channels(list))
    }

    /// Brings a download to a request, which is then in flight.
    static func reach(
        _ script: inout Script, _ request: Request, _ effects: [Script.Effect]
    ) throws -> Script.ID {
        if request == .page { return try #require(page(effects)).id }
        let id = try #require(fill(effects))
        guard request == .list else { return id }
        let listing = script.read(id, .cursor(.listEnd))
        guard case .read(id, .channels(.everything, .latestLastMessage, limit: _))? = listing.first
        else {
            Issue.record("no list: \(listing)")
            return id
        }
        return id
    }

    static func fail(
        _ script: inout Script, _ id: Script.ID, _ request: Request, _ error: RoostError
    ) -> [Script.Effect] {
        script.give(.reply(id, .read(.failure(error))))
    }

    // MARK: Waits

    /// Begins a catch-up of a channel, by default of another one.
    ///
    /// - Returns: The number of its read.
    static func catchUp(
        _ script: inout Script, of channel: ChannelURL = "other"
    ) throws -> Script.ID {
        let effects = script.change { $0.catchUp(channel, .anyway) }
        guard case .read(let id, .cursor)? = effects.needs.first else {
            throw UnexpectedEffects(effects: effects)
        }
        return id
    }

    struct UnexpectedEffects: Error {
        let effects: [Script.Effect]
    }

    /// A script with a download in a wait, and the event that ends the wait.
    struct Waiting {
        var script: Script
        let end: (inout Script) -> [Script.Effect]

        /// Lets the event happen.
        mutating func endWait() -> [Script.Effect] { end(&script) }
    }

    static func waiting(_ wait: Wait) throws -> Waiting {
        var script = wait == .offline ? Script() : Script.connected()
        let end: (inout Script) -> [Script.Effect]
        switch wait {
        case .offline:
            _ = begin(&script)
            end = { $0.login() }
        case .paused:
            let begun = try #require(page(begin(&script)))
            script.give(.download(id, .pause))
            _ = try fetch(&script, begun.id, downTo: 1_000)
            script.give(.fired(.download(id)))
            end = { $0.login() }
        case .resting:
            let begun = try #require(page(begin(&script)))
            _ = try fetch(&script, begun.id, downTo: 1_000)
            end = { $0.give(.fired(.download(id))) }
        case .catchingUp:
            let read = try catchUp(&script)
            _ = begin(&script)
            end = { $0.read(read, .cursor(nil)) }
        case .listFilling:
            let (fill, _) = script.start(.fill(ListFill()))
            _ = begin(&script, nil)
            end = { $0.read(fill, .cursor(.listEnd)) }
        }
        #expect(script.machine.state.downloads[id] != nil)
        return Waiting(script: script, end: end)
    }
}
