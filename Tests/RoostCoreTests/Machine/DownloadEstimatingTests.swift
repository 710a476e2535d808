// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct DownloadEstimatingTests {
    private typealias Script = MachineScript

    private static func begin(_ script: inout Script) -> (id: Script.ID, effects: [Script.Effect]) {
        script.start(.downloadEstimating(DownloadEstimating(Script.channel)))
    }

    private static func size(_ effects: [Script.Effect]) -> DownloadEstimate? {
        for case .finish(_, .estimated(let size)) in effects { return size }
        return nil
    }

    /// The server's count, what the disk holds, and the estimate.
    struct Estimate {
        let total: Int
        var held = 0
        var heldBytes: Int64 = 0
        let messages: Int
        let bytes: Int64

        static let all = [
            Estimate(total: 10, messages: 10, bytes: 4_000),
            Estimate(total: 10, held: 4, heldBytes: 400, messages: 6, bytes: 600),
            Estimate(total: 3, held: 4, heldBytes: 400, messages: 0, bytes: 0),
            Estimate(total: -1, messages: 0, bytes: 0),
            Estimate(total: .max, messages: .max, bytes: .max),
        ]
    }

    @Test(arguments: Estimate.all)
    func `the estimate is the count of the server without the cached messages`(
        estimate: Estimate
    ) {
        var script = Script.connected()
        let (id, asked) = Self.begin(&script)
        guard case .ask(id, .countMessages(let question), .connection)? = asked.first else {
            Issue.record("no question: \(asked)")
            return
        }
        #expect(question.channelURL == Script.channel)
        #expect(
            script.answer(id, .count(estimate.total)) == [.read(id, .holding(Script.channel))])
        let held = ChannelHolding(messages: estimate.held, bytes: estimate.heldBytes)
        let size = Self.size(script.read(id, .holding(held)))
        #expect(size?.missingMessages == estimate.messages)
        #expect(size?.size?.bytes == estimate.bytes)
    }

    @Test func `without a connection there is no estimate`() {
        var script = Script()
        let (id, effects) = Self.begin(&script)
        #expect(effects == [.finish(id, .failed(.notConnected))])
    }

    @Test func `a server that does not count for users leaves the size unknown`() {
        var script = Script.connected()
        let (id, _) = Self.begin(&script)
        let size = Self.size(script.refuse(id, Script.error(.notAuthorized, .correctInput)))
        #expect(size != nil && size?.missingMessages == nil && size?.size == nil)
    }

    @Test func `a failure that may pass ends the estimate with its error`() {
        var script = Script.connected()
        let (id, _) = Self.begin(&script)
        let error = Script.error(.networkError)
        #expect(script.refuse(id, error) == [.finish(id, .failed(error))])
    }

    @Test func `a lost connection ends the estimate with its error`() {
        var script = Script.connected()
        let (id, _) = Self.begin(&script)
        script.lose()
        let error = Script.error(.notAuthorized, .correctInput)
        #expect(script.refuse(id, error) == [.finish(id, .failed(error))])
    }

    @Test func `a cache that cannot be read ends the estimate with its error`() {
        var script = Script.connected()
        let (id, _) = Self.begin(&script)
        _ = script.answer(id, .count(10))
        let error = Script.error(.localDatabaseError, .repairStorage)
        #expect(script.give(.reply(id, .read(.failure(error)))) == [.finish(id, .failed(error))])
    }

    @Test func `a count that takes too long leaves the size unknown`() {
        var script = Script.connected()
        let estimating = DownloadEstimating(Script.channel)
        let (id, effects) = script.start(.inTime(InTime(.downloadEstimating(estimating))))
        #expect(effects.first == .limit(id, .seconds(8)))
        let size = Self.size(script.give(.overdue(id)))
        #expect(size != nil && size?.missingMessages == nil && size?.size == nil)
    }
}
