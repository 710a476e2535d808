// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct CacheMendingTests {
    private typealias Script = MachineScript
    private static let refusal = Script.error(.localDatabaseError, .repairStorage)

    /// Reports suspected damage, and returns the number of its operation.
    private static func suspect(_ script: inout Script) throws -> Script.ID {
        let effects = script.give(.suspected)
        guard case .mend(let id)? = effects.first, effects.count == 1 else {
            throw WalkScript.UnexpectedEffects(effects: effects)
        }
        return id
    }

    private static func mended(
        _ script: inout Script, _ id: Script.ID, _ result: Answered<CacheCheck>
    ) -> [Script.Effect] {
        script.give(.reply(id, .mended(result)))
    }

    private static func reports(_ effects: [Script.Effect]) -> [String] {
        effects.notices.compactMap {
            if case .event(.storageRepaired(let report)) = $0 { report } else { nil }
        }
    }

    @Test func `a cache that is found intact is not reported`() throws {
        var script = Script.connected()
        let id = try Self.suspect(&script)
        #expect(script.machine.isBusy)
        #expect(Self.mended(&script, id, .success(.intact)) == [])
        #expect(!script.machine.isBusy)
    }

    @Test func `a repaired cache is reported, and what it lost is fetched again`() throws {
        var script = Script.connected()
        script.change { $0.session?.noteEnd(of: Script.channel, at: Script.position(1)) }
        let id = try Self.suspect(&script)
        let effects = Self.mended(&script, id, .success(.repaired(reports: ["one", "two"])))
        #expect(Self.reports(effects) == ["one", "two"])
        #expect(effects.contains { if case .read(_, .cursor) = $0 { true } else { false } })
        #expect(script.machine.state.session?.liveEnds == [:])
    }

    @Test func `without a connection a repair is reported, and the next login fetches`() throws {
        var script = Script()
        let id = try Self.suspect(&script)
        let effects = Self.mended(&script, id, .success(.repaired(reports: ["one"])))
        #expect(Self.reports(effects) == ["one"] && effects.needs == [])
    }

    @Test func `a repair that the disk refuses is tried again, as often as it refuses`() throws {
        var script = Script.connected()
        let id = try Self.suspect(&script)
        for _ in 1...20 {
            let effects = Self.mended(&script, id, .failure(Self.refusal))
            #expect(effects == [.pause(id, .seconds(5), .retry)])
            #expect(!script.machine.isBusy && script.machine.isRetrying)
            #expect(script.pass(id) == [.mend(id)])
        }
        #expect(Self.mended(&script, id, .success(.intact)) == [])
        #expect(!script.machine.isRetrying)
    }

    @Test func `a new connection ends the wait for the next try`() throws {
        var script = Script.connected()
        let id = try Self.suspect(&script)
        _ = Self.mended(&script, id, .failure(Self.refusal))
        let effects = script.login()
        #expect(effects.contains(.endPause(id)) && effects.contains(.mend(id)))
    }

    @Test func `a repair does not wait for a commit, which may wait for it`() throws {
        var script = Script.connected()
        let (commit, _) = script.start(.storing(Storing([], from: .local)))
        let id = try Self.suspect(&script)
        _ = Self.mended(&script, id, .failure(Self.refusal))
        #expect(script.pass(id) == [.mend(id)])
        #expect(Self.mended(&script, id, .success(.intact)) == [])
        #expect(script.commit(commit).last == .finish(commit, .done))
    }

    @Test func `damage that is found during a repair is seen to as well`() throws {
        var script = Script.connected()
        let first = try Self.suspect(&script)
        let second = try Self.suspect(&script)
        #expect(first != second)
    }

    @Test func `an answer of another kind ends the repair`() throws {
        var script = Script.connected()
        let id = try Self.suspect(&script)
        #expect(script.give(.reply(id, .sent(nil))) == [])
        #expect(!script.machine.isBusy)
    }

    @Test func `messages that could not be read are reported and fetched again`() {
        var script = Script.connected()
        let effects = script.give(.forgotten(messages: 2, in: Script.channel))
        #expect(effects.notices.contains(.forgotten(messages: 2, in: Script.channel)))
        #expect(effects.notices.contains(.fillIndex))
        #expect(script.machine.state.isCatchingUp)
    }

    @Test func `without a connection lost messages are left to the next login`() {
        var script = Script()
        let effects = script.give(.forgotten(messages: 1, in: Script.channel))
        #expect(
            effects == [
                .notice(.forgotten(messages: 1, in: Script.channel)), .notice(.fillIndex),
            ])
    }
}
