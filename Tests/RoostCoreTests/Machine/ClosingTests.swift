// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct ClosingTests {
    private typealias Script = MachineScript
    private static let timeline = TimelineID(7)
    private static let list = ListID(8)

    private static func timelineToOpen() -> OpenTimeline {
        OpenTimeline(
            timeline, channel: Script.channel, startingAt: .distantFuture, filter: .everything,
            capacity: 100, pageSize: 5)
    }

    private static func failure(_ effects: [Script.Effect], _ id: Script.ID) -> RoostError? {
        for case .finish(id, .failed(let error)) in effects { return error }
        return nil
    }

    @Test func `closing ends the connection, the downloads and the collections`() {
        var script = Script.connected()
        _ = WalkScript.begin(&script)
        script.give(.openTimeline(Self.timelineToOpen()))
        script.give(.openList(OpenList(Self.list, ChannelListQuery(), viewer: "me")))
        let effects = script.give(.close)
        #expect(effects.notices.contains(.closeSocket))
        #expect(WalkScript.states(effects) == [.canceled])
        let state = script.machine.state
        #expect(state.session == nil && state.downloads.isEmpty)
        #expect(state.timelines.isEmpty && state.lists.isEmpty)
    }

    @Test func `a call to connect ends with the closing, and a later one is refused`() {
        var script = Script()
        let (first, _) = script.start(.connecting(Connecting()))
        #expect(Self.failure(script.give(.close), first)?.code == .connectionCanceled)
        let (later, effects) = script.start(.connecting(Connecting()))
        #expect(effects == [.finish(later, .failed(.clientClosed))])
    }

    @Test func `a closed client opens no collection, and reads nothing for it`() {
        var script = Script.connected()
        script.give(.close)
        script.give(.openTimeline(Self.timelineToOpen()))
        let (timeline, first) = script.start(.timelineOpening(TimelineOpening(Self.timeline)))
        #expect(first == [.finish(timeline, .failed(.clientClosed))])
        script.give(.openList(OpenList(Self.list, ChannelListQuery(), viewer: "me")))
        let (list, second) = script.start(.listOpening(ListOpening(Self.list)))
        #expect(second == [.finish(list, .failed(.clientClosed))])
        #expect(script.machine.state.timelines.isEmpty && script.machine.state.lists.isEmpty)
    }

    @Test(arguments: [true, false])
    func `an opening notes the use of its channel and asks a server within reach`(
        isOnline: Bool
    ) throws {
        var script = isOnline ? Script.connected() : Script()
        script.give(.openTimeline(Self.timelineToOpen()))
        let (id, asked) = script.start(.timelineOpening(TimelineOpening(Self.timeline)))
        guard case .read(id, .window)? = asked.first else {
            Issue.record("no read: \(asked)")
            return
        }
        let window = CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: 1)
        #expect(script.read(id, .window(window)).last == .read(id, .channel(Script.channel)))
        let effects = script.read(id, .channel(Script.channel(Script.channel)))
        #expect(effects.contains(.finish(id, .done)))
        #expect(effects.mutations == [.accessed(Script.channel, at: script.now)])
        #expect(script.machine.state.timelines[Self.timeline]?.opening.isUnderWay == isOnline)
    }

    @Test func `a download of a closed client is canceled from the beginning`() {
        var script = Script.connected()
        script.give(.close)
        let effects = WalkScript.begin(&script)
        #expect(WalkScript.states(effects) == [.canceled])
        #expect(effects.needs == [] && script.machine.state.downloads.isEmpty)
    }

    @Test func `a closed client fills no search index`() {
        var script = Script()
        script.give(.close)
        #expect(script.give(.cacheOpened) == [])
    }
}

/// The search index, which one filling at a time completes.
struct IndexFillingTests {
    private typealias Script = MachineScript

    /// Inputs after which the index may lack messages.
    private static let occasions: [SyncMachine.Input] = [
        .cacheOpened, .missedCommits, .forgotten(messages: 1, in: Script.channel),
    ]

    @Test(arguments: occasions.indices, [false, true])
    func `an occasion begins a filling, after the one under way`(
        _ index: Int, isFilling: Bool
    ) {
        var script = Script()
        if isFilling { script.give(.cacheOpened) }
        let effects = script.give(Self.occasions[index])
        #expect(effects.notices.contains(.fillIndex) == !isFilling)
        // The filling under way may have passed the messages of the occasion.
        #expect(script.give(.indexFilled) == (isFilling ? [.notice(.fillIndex)] : []))
        #expect(script.give(.indexFilled) == [])
    }

    @Test func `a filling that has ended can be followed by another`() {
        var script = Script()
        script.give(.cacheOpened)
        #expect(script.give(.indexFilled) == [])
        #expect(script.give(.cacheOpened) == [.notice(.fillIndex)])
    }

    @Test func `a resumption fills the index of words again`() {
        var script = Script()
        script.give(.outbox(.suspended))
        #expect(script.resume().notices.contains(.fillIndex))
        #expect(!script.resume().notices.contains(.fillIndex))
        // The filling that the suspension has ended reports its end after the resumption.
        #expect(script.give(.indexFilled) == [.notice(.fillIndex)])
    }

    @Test func `a filling does not keep the client busy`() {
        var script = Script()
        script.give(.cacheOpened)
        #expect(!script.machine.isBusy)
    }

    @Test func `a login begins a filling`() {
        var script = Script()
        #expect(script.login().notices.contains(.fillIndex))
    }
}

/// The notes in memory about a channel that the user has left.
struct DepartureTests {
    private typealias Script = MachineScript

    @Test(arguments: [true, false])
    func `a departure forgets the notes of its channel, but not what a timeline shows`(
        isShown: Bool
    ) {
        var script = Script()
        let channel = Script.channel
        if isShown {
            script.give(
                .openTimeline(
                    OpenTimeline(
                        TimelineID(7), channel: channel, startingAt: .distantFuture,
                        filter: .everything, capacity: 100, pageSize: 5)))
        }
        script.change { sync in
            sync.noteAttempt(in: channel, Script.error(.notAMember))
            let place = sync.logPlace(at: .token("t"), of: .messageChanges(channel))
            sync.logPlaces[.messageChanges(channel)] = place
            sync.noteDeparture(from: channel)
        }
        let state = script.machine.state
        let failure: RoostError.Code? = isShown ? .notAMember : nil
        #expect(state.logPlaces.isEmpty)
        #expect(state.attempts[channel]?.failure == failure)
    }
}

/// The session keys of requests, and frames without a connection.
struct CredentialTests {
    private typealias Script = MachineScript

    @Test func `a request has a key of the present connection or of the last login`() {
        var script = Script()
        func keys() -> [String?] {
            [Credentials.connection, .lastLogin].map { script.machine.state.sessionKey(for: $0) }
        }
        #expect(keys() == [nil, nil])
        script.login()
        #expect(keys() == ["key 1", "key 1"])
        script.lose()
        #expect(keys() == [nil, "key 1"])
        script.login()
        _ = script.frame(.expired(reason: nil, expiresIn: nil))
        #expect(keys() == [nil, nil])
    }

    @Test func `without a connection a command fails and no frame is sent`() {
        var script = Script()
        let (id, effects) = script.start(.vote(Vote(for: [1], in: 2, of: Script.channel)))
        #expect(effects.last == .finish(id, .failed(.notConnected)))
        #expect(
            !effects.contains {
                switch $0 {
                case .send, .notice(.send): true
                default: false
                }
            })
        #expect(!script.machine.isBusy)
    }
}
