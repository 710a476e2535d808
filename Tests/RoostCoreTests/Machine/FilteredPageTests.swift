// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// The pages of a timeline with a filter, whose newest end is requested without the filter too.
struct FilteredPageTests {
    private static let timeline = TimelineID(1)

    @Test func `under a filter the newest page meets the live messages, which come without one`() {
        var scene = CacheScene.connected()
        scene.openTimeline(at: Timestamp(milliseconds: 20), filter: MessageFilter(kind: .user))
        let before = scene.questions.count
        for _ in 1...6 {
            scene.start(.timelinePaging(TimelinePaging(Self.timeline, .newer)))
        }
        // The page under the filter, the newest page of all messages, the page again.
        #expect(Self.filters(of: scene.questions[before...]).suffix(3) == [false, true, false])
    }

    @Test func `a first page under a filter that reaches the newest end meets them, too`() {
        var scene = CacheScene.connected()
        scene.openTimeline(at: Timestamp(milliseconds: 38), filter: MessageFilter(kind: .user))
        #expect(scene.timeline()?.list.followsNewest == true)
        #expect(Self.filters(of: scene.questions[...]) == [false, true, false])
    }

    @Test(arguments: [2, 3])
    func `a first page under a filter is fetched anew if a later request fails`(failing: Int) {
        var scene = CacheScene.connected()
        var asked = 0
        scene.answers = { question in
            guard case .messages = question else { return nil }
            asked += 1
            return asked == failing ? .failure(Script.error(.internalServerError)) : nil
        }
        scene.openTimeline(at: Timestamp(milliseconds: 38), filter: MessageFilter(kind: .user))
        #expect(asked == failing + 3)
        #expect(scene.timeline()?.list.followsNewest == true)
        #expect(scene.shown() == Array(33...40))
    }

    @Test func `the client's request limit delays each request for a page under a filter`() {
        var scene = CacheScene.connected()
        var isDelayed = false
        var delays: [Bool] = []
        scene.holds = { effect in
            switch effect {
            case .pause(_, _, .pacing): isDelayed = true
            case .ask(_, let question, _):
                if case .messages = question { delays.append(isDelayed) }
                isDelayed = false
            default: break
            }
            return false
        }
        while scene.script.machine.state.spendRequest() == nil {}
        scene.openTimeline(at: Timestamp(milliseconds: 38), filter: MessageFilter(kind: .user))
        #expect(delays == [true, true, true])
    }

    /// Returns for each requested page whether it was requested without a filter.
    private static func filters(of questions: ArraySlice<ServerQuestion>) -> [Bool] {
        questions.compactMap { question in
            guard case .messages(let call) = question else { return nil }
            return call.filter == .everything
        }
    }
}
