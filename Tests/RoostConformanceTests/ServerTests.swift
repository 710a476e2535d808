// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import RoostServer
import RoostTestSupport
import Synchronization
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

    /// The calls that are answered by 201, each with a check that makes them.
    private static let strangeAnswers = [
        ("/v3/users", "messages.acknowledged"), ("/v3/group_channels", "messages.acknowledged"),
        ("/v3/group_channels", "channels.own"), ("/v3/group_channels", "channels.distinct"),
        ("/v3/open_channels", "open.create"),
        // No call, but two channels of the same members.
        ("", "channels.distinct"),
    ]

    @Test(arguments: strangeAnswers)
    func `objects that a server makes against the rules are removed`(
        target: String, check: String
    ) async throws {
        let left = Mutex<Set<String>>([])
        let spoil = Spoil(
            ask: { _, _, body in body.with("is_distinct", .missing) },
            answer: { call in
                let field = ["/v3/users": "user_id"][call.target, default: "channel_url"]
                if call.method == "DELETE", call.status == 200 {
                    left.withLock { _ = $0.remove(call.target) }
                } else if call.method == "POST", call.target.split(separator: "/").count == 2,
                    let name = call.body[field].text
                {
                    left.withLock { _ = $0.insert("\(call.target)/\(name)") }
                    if call.target == target { call.status = 201 }
                }
            })
        let run = try await SpoilingProxy.results(of: try Selection.of([check]), spoil: spoil)
        #expect(run.failedCount == 1)
        let paths = left.withLock { $0 }
        #expect(paths == [])
        #expect(run.leftovers == [])
    }

    @Test func `frames may end with CR and LF, several in a message`() async throws {
        // White space before a line feed is legal JSON, and unknown commands are passed over.
        let spoil = Spoil(
            down: { [$0, Spoil.Command(name: "XXXX", fields: [:])] }, lineEnd: "\r\n")
        let run = try await SpoilingProxy.results(
            of: try Selection.of(["messages.acknowledged"]), spoil: spoil)
        #expect(Self.failures(run) == [])
        #expect(run.heldCount == 1)
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

    @Test func `a required call that is not offered fails the checks of optional groups, too`()
        async throws
    {
        let refuses = Spoil(answer: { call in
            guard call.method == "POST", call.target == "/v3/group_channels" else { return }
            call.status = 400
            call.body = ["error": true, "code": 400_930, "message": "not offered"]
        })
        let run = try await SpoilingProxy.results(
            of: try Selection.of(["search.word"]), spoil: refuses)
        #expect(run.failedCount == 1)
        #expect(Self.failures(run).first?.contains("POST /group_channels is offered") == true)
    }

    @Test func `an application that the server does not have is named in one sentence`()
        async throws
    {
        let message = try await SpoilingProxy.serving(nil) { address, loop in
            let target = try #require(
                Target(
                    server: address, applicationID: "APQ", apiToken: SpoilingProxy.apiToken))
            let run = ConformanceRun(target, wait: .seconds(60), on: loop)
            let error = try #require(
                await #expect(throws: ConformanceRun.Unusable.self) {
                    _ = try await run.run(Catalogue.groups) { _ in }
                })
            return error.message
        }
        #expect(message.contains("“APQ”") && message.contains("--app-id"), "\(message)")
    }

    @Test func `a server that lacks one kind of push is judged to the end`() async throws {
        let names = ["members.invite", "members.accept", "members.decline", "members.leave"]
        let run = try await SpoilingProxy.results(
            of: try Selection.of(names + ["messages.acknowledged"]),
            spoil: Spoil(down: { $0.name == "SYEV" ? [] : [$0] }), wait: Self.shortWait)
        #expect(run.end == nil)
        #expect(run.notRunCount == 0)
        #expect(run.failedCount == names.count)
        #expect(run.results.last?.outcome == .holds)
    }

    @Test func `a run comes back to a server that is busy at each first login`() async throws {
        let count = Mutex(0)
        let spoil = Spoil(isBusy: {
            count.withLock { count in
                count += 1
                return count % 2 == 1
            }
        })
        let names = [
            "token-query", "token-subprotocol", "key-header", "key-subprotocol", "wrong-key",
        ]
        let run = try await SpoilingProxy.results(
            of: try Selection.of(names.map { "connection.\($0)" }), spoil: spoil)
        #expect(Self.failures(run) == [])
        #expect(run.heldCount == names.count)
    }

    @Test(arguments: [("messages.order", 12), ("changes.complete", 80)])
    func `a run sends a burst again as far as it is over the server's rate`(
        check: String, burst: Int
    ) async throws {
        let run = try await SpoilingProxy.results(
            of: try Selection.of([check]), spoil: nil,
            userRate: Rate(burst: burst, perSecond: 100))
        #expect(Self.failures(run) == [])
        #expect(run.heldCount == 1)
    }

    @Test func `the end of a token is waited for, however short the limit of a wait is`()
        async throws
    {
        let chosen = try Selection.of(["connection.expiry"])
        var run: RunResult?
        // The token lasts two seconds. A pause of a busy machine that is as long as the limit says
        // nothing of the check, so it gets further tries; a wrong one fails each time.
        for _ in 0..<6 where run?.isGood != true {
            run = try? await SpoilingProxy.results(
                of: chosen, spoil: nil, wait: .milliseconds(1_500))
        }
        #expect(run.map { Self.failures($0) } == [])
        #expect(run?.isGood == true)
    }

    @Test func `a set of users may come in short pages`() async throws {
        let kept = Mutex<[JSON]>([])
        let spoil = Spoil(answer: { call in
            guard call.isGet("/users?"), call.target.contains("user_ids") else { return }
            kept.withLock { kept in
                // One user a page; the token means the rest, of which the server knows nothing.
                if !call.target.contains("token=") { kept = call.body["users"].elements }
                guard !kept.isEmpty else { return }
                let page = JSON.list([kept.removeFirst()])
                call.status = 200
                call.body = ["users": page, "next": kept.isEmpty ? "" : "the-rest"]
            }
        })
        let run = try await SpoilingProxy.results(
            of: try Selection.of(["users.set"]), spoil: spoil)
        #expect(Self.failures(run) == [])
        #expect(run.heldCount == 1)
    }

    @Test func `a list of users may have many empty pages`() async throws {
        let state = Mutex<(page: JSON, count: Int)>((page: .missing, count: 0))
        let spoil = Spoil(answer: { call in
            guard call.isGet("/users?"), call.target.contains("nickname_startswith") else { return }
            let isFirst = !call.target.contains("token=")
            guard isFirst || call.target.contains("token=empty-") else { return }
            let page = call.body
            let (first, number) = state.withLock { state in
                if isFirst { state = (page, 0) }
                state.count += 1
                return state
            }
            call.status = 200
            call.body =
                number > 150 ? first : ["users": [], "next": .text("empty-\(number)")]
        })
        let run = try await SpoilingProxy.results(
            of: try Selection.of(["users.pages"]), spoil: spoil)
        #expect(Self.failures(run) == [])
        #expect(run.heldCount == 1)
    }

    @Test func `a search may find a message a moment late`() async throws {
        let count = Mutex(0)
        let spoil = Spoil(answer: { call in
            guard call.isGet("/search/messages") else { return }
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number < 4 { call.body = call.body.with("results", []) }
        })
        let run = try await SpoilingProxy.results(
            of: try Selection.of(["search.word"]), spoil: spoil)
        #expect(Self.failures(run) == [])
        #expect(run.heldCount == 1)
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
