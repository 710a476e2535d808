// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct HistoryWalkTests {
    private typealias Script = MachineScript
    typealias Walk = WalkScript

    // MARK: The walk

    @Test func `a download waits for a connection and begins with it`() {
        var script = Script()
        let effects = Walk.begin(&script)
        #expect(Walk.states(effects).last == .waitingForConnection)
        #expect(Walk.progress(effects)?.channelCount == 1)
        #expect(effects.needs == [] && !script.machine.isBusy)
        let online = script.login()
        #expect(Walk.page(online)?.of == Script.channel)
        #expect(Walk.progress(online)?.state == .running)
    }

    @Test func `a download fetches page after page, with a rest before each`() throws {
        var script = Script.connected()
        let begun = Walk.begin(&script)
        #expect(Walk.progress(begun)?.channel == Script.channel)
        let first = try Walk.fetch(&script, #require(Walk.page(begun)).id, downTo: 1_000)
        #expect(first.notices.contains(.arm(.download(Walk.id), Walk.rest)))
        #expect(first.needs == [] && !script.machine.isBusy && !script.machine.isRetrying)
        #expect(Walk.progress(first)?.reached == Timestamp(milliseconds: 1_000))
        #expect(Walk.progress(first)?.messages == 1)
        let second = script.give(.fired(.download(Walk.id)))
        let end = Walk.complete(&script, try #require(Walk.page(second)).id)
        let progress = try #require(Walk.progress(end))
        #expect(progress.state == .finished && progress.finishedChannels == 1)
        #expect(progress.channel == nil && progress.refused.isEmpty)
        #expect(script.machine.state.downloads.isEmpty && !script.machine.isBusy)
    }

    @Test func `a download of no channel ends at once, also without a connection`() {
        var script = Script()
        #expect(Walk.progress(Walk.begin(&script, []))?.state == .finished)
    }

    @Test func `without a selection a download lists the user's channels first`() throws {
        var script = Script.connected()
        let effects = try Walk.list(&script, ["a", "b"])
        #expect(Walk.page(effects)?.of == "a")
        #expect(Walk.progress(effects)?.channelCount == 2)
        let next = Walk.complete(&script, try #require(Walk.page(effects)).id)
        #expect(Walk.page(next)?.of == "b")
        #expect(Walk.progress(next)?.finishedChannels == 1)
    }

    @Test func `the newest page is fetched of each channel, whatever the cache has`() throws {
        var script = Script.connected()
        let listed = try Walk.list(&script, ["a", "b"])
        let next = Walk.complete(&script, try #require(Walk.page(listed)).id)
        let id = try #require(Walk.page(next)).id
        let all = CoveredRange(lower: .distantPast, upper: Script.position(3_000))
        let effects = script.read(id, .coverage(Coverage([all])))
        #expect(effects.needs == [.read(id, .holding("b"))])
    }

    @Test func `an incomplete list of channels is listed again after a rest`() throws {
        var script = Script.connected()
        let effects = try Walk.list(&script, ["a"], isWhole: false)
        #expect(Walk.hasArmed(effects) && effects.needs == [])
        #expect(Walk.progress(effects)?.channelCount == nil)
        let again = script.give(.fired(.download(Walk.id)))
        guard case .read(_, .cursor(.channelFill))? = again.needs.first else {
            Issue.record("no list: \(again)")
            return
        }
    }

    @Test func `a download waits while the list is being filled, and lists after it`() {
        var script = Script.connected()
        let (fill, _) = script.start(.fill(ListFill()))
        #expect(Walk.begin(&script, nil).needs == [])
        let effects = script.read(fill, .cursor(.listEnd))
        #expect(effects.needs.first == .finish(fill, .done))
        guard case .read(_, .cursor(.channelFill))? = effects.needs.last else {
            Issue.record("no list: \(effects)")
            return
        }
    }

    @Test func `open timelines catch up first`() throws {
        var script = Script.connected()
        let catchUp = try Walk.catchUp(&script)
        #expect(Walk.begin(&script).needs == [])
        let end = script.read(catchUp, .cursor(nil))
        #expect(Walk.page(end) != nil)
    }

    @Test func `a catch-up that waits for its retry delays no download`() throws {
        var script = Script.connected()
        let catchUp = try Walk.catchUp(&script)
        #expect(Walk.begin(&script).needs == [])
        let locked = RoostError(
            .localDatabaseError, remedy: .repairStorage, message: "", cause: .disk(mayPass: true))
        let effects = script.give(.reply(catchUp, .read(.failure(locked))))
        #expect(Walk.page(effects) != nil)
    }

    @Test func `downloads run side by side, and one ends without the other`() throws {
        var script = Script.connected()
        let first = try #require(Walk.page(Walk.begin(&script)))
        let other = DownloadID(2)
        let second = script.give(.download(other, .begin(Walk.request(["b"]))))
        #expect(Walk.page(second)?.of == "b")
        let end = Walk.complete(&script, first.id)
        #expect(Walk.progress(end)?.state == .finished)
        #expect(Array(script.machine.state.downloads.keys) == [other])
    }

    // MARK: A start

    private static func range(_ lower: Int64, _ upper: Int64) -> Coverage {
        Coverage([CoveredRange(lower: Script.position(lower), upper: Script.position(upper))])
    }

    /// The moment and the limits of a request.
    private struct Asked: Equatable {
        let moment: Int64
        let older: Int
        let newer: Int

        init(_ moment: Int64, older: Int, newer: Int) {
            (self.moment, self.older, self.newer) = (moment, older, newer)
        }

        init(_ call: ListMessages) {
            guard case .time(let time) = call.anchor else { preconditionFailure("No moment.") }
            self.init(time.milliseconds, older: call.previousLimit, newer: call.nextLimit)
        }
    }

    @Test func `a download from a moment leads both ways by turns, to all messages (R177)`() throws
    {
        var script = Script.connected()
        /// Answers one page, and returns the request.
        func fetch(
            _ effects: inout [Script.Effect], knowing coverage: Coverage,
            _ messages: ClosedRange<Int64>, hasNext: Bool? = nil
        ) throws -> Asked {
            let (id, call) = try Walk.request(&script, effects, coverage)
            effects = Walk.answer(&script, id, messages, hasNext: hasNext)
            return Asked(call)
        }
        var effects = Walk.begin(&script, from: Timestamp(milliseconds: 2_500))
        let first = try fetch(
            &effects, knowing: Coverage(), 2_400...2_600, hasNext: true)
        #expect(first == Asked(2_500, older: 100, newer: 100))
        #expect(Walk.progress(effects)?.reached == Timestamp(milliseconds: 2_400))
        effects = script.give(.fired(.download(Walk.id)))
        let second = try fetch(&effects, knowing: Self.range(2_400, 2_600), 2_200...2_400)
        #expect(second == Asked(2_400, older: 200, newer: 0))
        effects = script.give(.fired(.download(Walk.id)))
        let third = try fetch(
            &effects, knowing: Self.range(2_200, 2_600), 2_600...2_700, hasNext: false)
        #expect(third == Asked(2_600, older: 0, newer: 200))
        // A page of newer messages moves the older end nowhere.
        #expect(Walk.progress(effects)?.reached == Timestamp(milliseconds: 2_200))
        effects = script.give(.fired(.download(Walk.id)))
        let fourth = try fetch(&effects, knowing: Self.range(2_200, 2_700), 2_200...2_200)
        #expect(fourth == Asked(2_200, older: 200, newer: 0))
        effects = script.give(.fired(.download(Walk.id)))
        let whole = Coverage([
            CoveredRange(lower: .distantPast, upper: Script.position(2_700))
        ])
        effects = script.read(try #require(Walk.page(effects)).id, .coverage(whole))
        #expect(Walk.progress(effects)?.state == .finished)
        #expect(Walk.progress(effects)?.refused == [:])
    }

    @Test func `on a new connection a download from a moment looks for newer messages again`()
        throws
    {
        var script = Script.connected()
        let start = Timestamp(milliseconds: 2_500)
        let known = Coverage([
            CoveredRange(lower: .distantPast, upper: Script.position(2_700))
        ])
        var effects = Walk.begin(&script, from: start)
        for _ in 1...2 {
            let (id, call) = try Walk.request(&script, effects, known)
            #expect(Asked(call) == Asked(2_700, older: 0, newer: 200))
            _ = Walk.answer(&script, id, 2_700...2_700, hasNext: false)
            script.login()
            effects = script.give(.fired(.download(Walk.id)))
        }
        let (id, _) = try Walk.request(&script, effects, known)
        _ = Walk.answer(&script, id, 2_700...2_700, hasNext: false)
        effects = script.give(.fired(.download(Walk.id)))
        effects = script.read(try #require(Walk.page(effects)).id, .coverage(known))
        #expect(Walk.progress(effects)?.state == .finished)
    }

    @Test func `a download from a moment gives up a channel whose pages lead nowhere`() throws {
        var script = Script.connected()
        var effects = Walk.begin(&script, from: Timestamp(milliseconds: 2_500))
        for _ in 1...8 {
            let (id, _) = try Walk.request(&script, effects, Self.range(2_400, 2_600))
            // The server names neither an older nor a newer message, and no end.
            effects = Walk.answer(&script, id, 2_400...2_600, hasNext: true)
            if Walk.progress(effects)?.state == .finished { break }
            effects = script.give(.fired(.download(Walk.id)))
        }
        #expect(Walk.progress(effects)?.refused == [Script.channel: .malformedData])
    }

    // MARK: Failures

    @Test(arguments: Walk.Request.allCases)
    func `a request that fails for a while is made again after a growing rest`(
        request: Walk.Request
    ) throws {
        var script = Script.connected()
        var effects = Walk.begin(&script, request.selection)
        var rests: [Duration] = []
        for _ in 1...8 {
            effects = Walk.fail(
                &script, try Walk.reach(&script, request, effects), request,
                Script.error(.networkError))
            rests += effects.notices.compactMap {
                if case .arm(.download(Walk.id), let rest) = $0 { rest } else { nil }
            }
            #expect(effects.needs == [] && !script.machine.isBusy)
            effects = script.give(.fired(.download(Walk.id)))
        }
        #expect(rests.count == 8)
        #expect(rests.first.map { $0 >= .seconds(1) && $0 <= .seconds(2) } ?? false)
        #expect(rests.last.map { $0 >= .seconds(10) && $0 <= .seconds(20) } ?? false)
        effects = Walk.fail(
            &script, try Walk.reach(&script, request, effects), request,
            Script.error(.networkError))
        let progress = try #require(Walk.progress(effects))
        #expect(progress.state == (request == .page ? .finished : .canceled))
        #expect(progress.refused == (request == .page ? [Script.channel: .networkError] : [:]))
        #expect(script.machine.state.downloads.isEmpty)
    }

    @Test(arguments: Walk.Request.allCases)
    func `a final refusal of a channel leads to the next one, and of the list to the end`(
        request: Walk.Request
    ) throws {
        var script = Script.connected()
        let begun = Walk.begin(&script, request == .page ? [Script.channel, "b"] : nil)
        let id = try Walk.reach(&script, request, begun)
        let effects = Walk.fail(&script, id, request, Script.error(.notAuthorized, .correctInput))
        let progress = try #require(Walk.progress(effects))
        guard request == .page else {
            #expect(progress.state == .canceled && effects.needs == [])
            return
        }
        #expect(progress.refused == [Script.channel: .notAuthorized])
        #expect(progress.finishedChannels == 1 && Walk.page(effects)?.of == "b")
    }

    @Test(arguments: Walk.Request.allCases)
    func `a request that fails with its connection is made again on the next one`(
        request: Walk.Request
    ) throws {
        var script = Script.connected()
        var effects = Walk.begin(&script, request.selection)
        // More often than one connection has retries.
        for _ in 1...10 {
            let id = try Walk.reach(&script, request, effects)
            script.lose()
            let lost = Walk.fail(&script, id, request, Script.error(.networkError))
            #expect(Walk.progress(lost)?.state == .waitingForConnection)
            #expect(lost.needs == [] && !Walk.hasArmed(lost))
            effects = script.login()
            #expect(Walk.progress(effects)?.state == .running)
        }
        _ = try Walk.reach(&script, request, effects)
    }

    @Test func `a new connection begins with the newest page again`() throws {
        var script = Script.connected()
        let begun = Walk.begin(&script)
        _ = try Walk.fetch(&script, #require(Walk.page(begun)).id, downTo: 1_000)
        script.login()
        // The rest goes on over the loss of a connection.
        let effects = script.give(.fired(.download(Walk.id)))
        let page = try #require(Walk.page(effects))
        let all = CoveredRange(lower: .distantPast, upper: Script.position(9))
        let asked = script.read(page.id, .coverage(Coverage([all])))
        #expect(asked == [.read(page.id, .holding(Script.channel))])
    }

    @Test func `pages without progress end the channel with a refusal`() throws {
        var script = Script.connected()
        var effects = Walk.begin(&script)
        for _ in 1...5 {
            let page = try #require(Walk.page(effects))
            effects = try Walk.fetch(&script, page.id, downTo: 1_000)
            if Walk.progress(effects)?.state == .finished { break }
            effects = script.give(.fired(.download(Walk.id)))
        }
        #expect(Walk.progress(effects)?.refused == [Script.channel: .malformedData])
    }

    @Test func `an answer of another kind gives the channel up`() throws {
        var script = Script.connected()
        let page = try #require(Walk.page(Walk.begin(&script)))
        let effects = script.give(.reply(page.id, .sent(nil)))
        #expect(Walk.progress(effects)?.refused == [Script.channel: .malformedData])
        #expect(Walk.progress(effects)?.state == .finished)
    }

    // MARK: The app's calls

    @Test(arguments: Walk.Wait.allCases)
    func `a canceled download ends at once in each wait`(wait: Walk.Wait) throws {
        var waiting = try Walk.waiting(wait)
        let effects = waiting.script.give(.download(Walk.id, .cancel))
        #expect(Walk.states(effects) == [.canceled] && effects.needs == [])
        #expect(effects.notices.contains(.disarm(.download(Walk.id))) == (wait == .resting))
        #expect(waiting.script.machine.state.downloads.isEmpty)
        for input in [DownloadInput.pause, .resume, .cancel] {
            #expect(waiting.script.give(.download(Walk.id, input)) == [])
        }
        let end = waiting.endWait()
        #expect(Walk.page(end) == nil && Walk.states(end).isEmpty)
        #expect(Walk.page(waiting.script.login()) == nil)
    }

    @Test(arguments: Walk.Request.allCases)
    func `a download canceled during a request makes no other`(request: Walk.Request) throws {
        var script = Script.connected()
        let begun = Walk.begin(&script, request.selection)
        let id = try Walk.reach(&script, request, begun)
        let effects = script.give(.download(Walk.id, .cancel))
        #expect(Walk.states(effects) == [.canceled])
        let end = Walk.fail(&script, id, request, Script.error(.networkError))
        #expect(end.needs == [] && Walk.states(end).isEmpty && !script.machine.isBusy)
    }

    @Test func `a page that arrives after the cancellation is stored and not told`() throws {
        var script = Script.connected()
        let page = try #require(Walk.page(Walk.begin(&script)))
        script.give(.download(Walk.id, .cancel))
        let effects = try Walk.fetch(&script, page.id, downTo: 1_000)
        #expect(effects == [])
    }

    @Test(arguments: Walk.Wait.allCases)
    func `a download paused in a wait makes no request until it is resumed`(
        wait: Walk.Wait
    ) throws {
        var waiting = try Walk.waiting(wait)
        let paused = waiting.script.give(.download(Walk.id, .pause))
        #expect(paused.needs == [] && Walk.states(paused) == (wait == .paused ? [] : [.paused]))
        var effects = waiting.endWait()
        #expect(Walk.page(effects) == nil && Walk.states(effects).isEmpty)
        effects = waiting.script.give(.download(Walk.id, .resume))
        #expect(Walk.states(effects).first == .running)
        #expect(Walk.hasRequest(effects))
    }

    @Test func `a download paused during a request tells its page and makes no other`() throws {
        var script = Script.connected()
        let page = try #require(Walk.page(Walk.begin(&script)))
        script.give(.download(Walk.id, .pause))
        let effects = try Walk.fetch(&script, page.id, downTo: 1_000)
        #expect(Walk.progress(effects)?.state == .paused)
        #expect(Walk.progress(effects)?.messages == 1)
        #expect(script.give(.fired(.download(Walk.id))) == [])
        #expect(Walk.page(script.give(.download(Walk.id, .resume))) != nil)
    }

    @Test func `a download resumed without a connection waits for one`() {
        var script = Script()
        _ = Walk.begin(&script)
        script.give(.download(Walk.id, .pause))
        let effects = script.give(.download(Walk.id, .resume))
        #expect(Walk.progress(effects)?.state == .waitingForConnection)
    }

    @Test func `a running download is not resumed, and none begins twice`() throws {
        var script = Script.connected()
        _ = Walk.begin(&script)
        #expect(script.give(.download(Walk.id, .resume)) == [])
        #expect(Walk.begin(&script) == [])
    }
}
