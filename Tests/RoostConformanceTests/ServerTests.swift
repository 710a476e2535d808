// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import RoostTestSupport
import Testing

/// The checks against sound servers and spoilt ones.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ServerTests {
    /// Long enough for a busy machine to show its other frames, and no longer than needed for silence.
    private static let shortWait: Duration = .seconds(15)

    private static func failures(_ run: RunResult) -> [String] {
        run.results.compactMap { result in
            guard case .failed(let expected, let seen, let transcript) = result.outcome else {
                return nil
            }
            return "\(result.check.id): expected \(expected), seen \(seen)\n\(transcript)"
        }
    }

    @Test(arguments: [false, true])
    func `a sound server keeps every rule, and nothing is left on it`(
        requiresToken: Bool
    ) async throws {
        let run = try await SpoilingProxy.results(
            of: Catalogue.groups, spoil: nil, requiresToken: requiresToken)
        #expect(Self.failures(run) == [])
        #expect(run.isGood)
        #expect(run.results.count == Catalogue.groups.flatMap(\.checks).count)
        #expect(run.heldCount == run.results.count - (requiresToken ? 1 : 0))
        #expect(run.leftovers == [])
    }

    @Test(arguments: Spoils.all)
    func `a spoilt server is found by the check of its fault, and by it only for the fault`(
        example: Spoils.Case
    ) async throws {
        let chosen = try Selection.of([example.check])
        let spoilt = try await SpoilingProxy.results(
            of: chosen, spoil: example.spoil, wait: example.isSilent ? Self.shortWait : .seconds(60)
        )
        let result = try #require(spoilt.results.first)
        #expect(result.check.id == example.check)
        guard case .failed(let expected, _, let transcript) = result.outcome else {
            Issue.record("\(example.name) was not found: \(result.outcome)")
            return
        }
        #expect(expected.contains(example.expected))
        #expect(!transcript.isEmpty)
        let sound = try await SpoilingProxy.results(of: chosen, spoil: Spoil.none)
        #expect(Self.failures(sound) == [])
    }

    @Test func `a feature that is not offered is skipped, and a required one is a failure`()
        async throws
    {
        let refuses = Spoil(answer: { call in
            guard call.target.hasPrefix("/v3/polls") || call.target.hasSuffix("/total_count") else {
                return
            }
            call.status = 400
            call.body = ["error": true, "code": 400_930, "message": "not offered"]
        })
        let run = try await SpoilingProxy.results(
            of: try Selection.of(["polls", "messages.count"]), spoil: refuses)
        for result in run.results where result.group == "polls" {
            #expect(result.outcome == .skipped("the code 400930, not offered"))
        }
        #expect(Self.failures(run).count == 1)
        #expect(Self.failures(run).first?.hasPrefix("messages.count") == true)
        #expect(run.skippedCount == 6)
        #expect(!run.isGood)
    }

    @Test func `evidence shows no secret`() async throws {
        let spoil = Spoil(down: { frame in
            var changed = frame
            changed.fields = frame.fields.with("ping_interval", .missing)
            return [changed]
        })
        let run = try await SpoilingProxy.results(
            of: try Selection.of(["socket.login-fields"]), spoil: spoil)
        guard case .failed(_, let seen, let transcript)? = run.results.first?.outcome else {
            Issue.record("the missing field was not found")
            return
        }
        #expect(seen == "ping_interval: nothing")
        let login = try #require(transcript.first { $0.contains("LOGI") })
        #expect(login.contains(#""key":"•••""#) && login.contains(#""ekey":"•••""#))
        #expect(!transcript.joined().contains(SpoilingProxy.apiToken))
    }
}
