// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import RoostSockets
import RoostTestSupport
import Testing

/// The command `roost conform` against spoilt servers; `Tests/PlatformSDK/conform.py` has it against a
/// sound one.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct CommandTests {
    private struct Run {
        let ending: ChildProcess.Ending?
        let lines: [String]
        let errors: String
        let junit: String
        let page: String
    }

    /// Runs the command with its reports against a spoilt server.
    private static func run(
        _ spoil: Spoil, applicationID: String = SpoilingProxy.applicationID, _ options: [String]
    ) async throws -> Run {
        let folder = try TemporaryFolder()
        let (junit, page) = (folder.file("conform.xml"), folder.file("conform.html"))
        let errors = folder.file("errors")
        return try await SpoilingProxy.serving(spoil) { address, _ in
            let process = try ChildProcess(
                ChildProcess.built("roost"),
                [
                    "conform", "--server", address, "--app-id", applicationID,
                    "--timeout", "60", "--junit", junit, "--html", page,
                ] + options,
                errors: errors,
                environment: ["ROOST_API_TOKEN": SpoilingProxy.apiToken, "NO_COLOR": "1"])
            let lines = await process.lines()
            return Run(
                ending: await process.end(), lines: lines,
                errors: try String(contentsOfFile: errors, encoding: .utf8),
                junit: try String(contentsOfFile: junit, encoding: .utf8),
                page: try String(contentsOfFile: page, encoding: .utf8))
        }
    }

    private static func expectFailure(_ run: Run, of example: Spoils.Case) throws {
        #expect(run.ending == .exited(1))
        #expect(run.errors.contains("of the protocol: see above"), "\(run.errors)")
        #expect(run.lines.contains { $0.hasPrefix("  ✗ \(example.check)") }, "\(run.lines)")
        let elements = try JUnitElements(of: run.junit)
        #expect(elements.failures.contains(example.check), "\(elements.failures)")
        #expect(run.page.contains("<h1>Not all rules hold</h1>"))
        #expect(
            run.page.contains(
                "<td class=\"word\">failed</td><td><code>\(example.check)</code></td>"))
        #expect(run.page.contains("<dt>expected</dt>"))
        #expect(!(run.junit + run.page).contains(SpoilingProxy.apiToken))
    }

    /// Spoils that a check hears at once; of a silent one it waits to its limit.
    private static let examples = Spoils.all.filter { !$0.isSilent }

    @Test(arguments: examples)
    func `the command and both its files name the failure of a spoilt server`(
        example: Spoils.Case
    ) async throws {
        #expect(Self.examples.count >= 10)
        let group = try #require(example.check.split(separator: ".").first)
        let run = try await Self.run(example.spoil, ["--only", String(group)])
        try Self.expectFailure(run, of: example)
    }

    @Test func `a run that checks nothing fails, and its page says so`() async throws {
        let refuses = Spoil(answer: { call in
            guard call.target.hasPrefix("/v3/polls") else { return }
            call.status = 400
            call.body = ["error": true, "code": 400_930, "message": "not offered"]
        })
        let run = try await Self.run(refuses, ["--only", "polls"])
        #expect(run.ending == .exited(1))
        #expect(run.errors.contains("Nothing was checked"), "\(run.errors)")
        #expect(run.page.contains("<h1>Nothing was checked</h1>"))
        #expect(try JUnitElements(of: run.junit).failures == [])
    }

    @Test func `a run that cannot begin says so in its files`() async throws {
        let run = try await Self.run(.none, applicationID: "APQ", ["--only", "polls"])
        #expect(run.ending == .exited(4))
        #expect(run.lines == [])
        #expect(run.errors.contains("--app-id"), "\(run.errors)")
        #expect(try JUnitElements(of: run.junit).failures == ["run"])
        #expect(run.page.contains("<h1>Nothing was checked</h1>"))
        for text in [run.junit, run.page] { #expect(text.contains("--app-id"), "\(text)") }
    }

    @Test func `a signal ends the check under way, which still removes its objects`() async throws {
        let hasSent = Gate()
        // The message is lost, so the check waits for its acknowledgement.
        let spoil = Spoil(up: { command in
            guard command.name == "MESG" else { return [command] }
            hasSent.open()
            return []
        })
        let folder = try TemporaryFolder()
        let (errors, junit) = (folder.file("errors"), folder.file("conform.xml"))
        try await SpoilingProxy.serving(spoil) { address, loop in
            let process = try ChildProcess(
                ChildProcess.built("roost"),
                [
                    "conform", "--server", address, "--app-id", SpoilingProxy.applicationID,
                    "--timeout", "600", "--only", "messages.acknowledged", "--only",
                    "messages.broadcast", "--junit", junit,
                ],
                errors: errors,
                environment: ["ROOST_API_TOKEN": SpoilingProxy.apiToken, "NO_COLOR": "1"])
            await hasSent.wait()
            process.signal(SIGINT)
            let lines = await process.lines()
            #expect(await process.end() == .exited(1))
            #expect(lines.filter { $0.hasSuffix("  not run") }.count == 2, "\(lines)")
            #expect(lines.contains("The run was interrupted. The rest was not run."), "\(lines)")
            #expect(!lines.contains { $0.contains("Left on the server") }, "\(lines)")
            let users = try await HTTPClient(on: loop).send(
                HTTPClientRequest(
                    url: address + "v3/users", headers: ["Api-Token": SpoilingProxy.apiToken],
                    timeLimit: .seconds(60), answerBytes: 1 << 20))
            let left = try JSON(parsing: users.body)["users"]
            #expect(left.isList && left.elements.isEmpty, "\(left)")
        }
        let sentences = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(sentences.contains("not complete: The run was interrupted."), "\(sentences)")
        let elements = try JUnitElements(of: String(contentsOfFile: junit, encoding: .utf8))
        #expect(elements.names.filter { $0 == "testcase" }.count == 3)
        #expect(elements.failures == ["run"])
    }

    @Test func `a killed run leaves no result of an earlier one, also behind a link`()
        async throws
    {
        let hasSent = Gate()
        let spoil = Spoil(up: { command in
            guard command.name == "MESG" else { return [command] }
            hasSent.open()
            return []
        })
        let folder = try TemporaryFolder()
        let (earlier, link) = (folder.file("earlier.xml"), folder.file("conform.xml"))
        try Data("an earlier result".utf8).write(to: URL(filePath: earlier))
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "earlier.xml")
        try await SpoilingProxy.serving(spoil) { address, _ in
            let process = try ChildProcess(
                ChildProcess.built("roost"),
                [
                    "conform", "--server", address, "--app-id", SpoilingProxy.applicationID,
                    "--timeout", "600", "--only", "messages.acknowledged", "--junit", link,
                ],
                environment: ["ROOST_API_TOKEN": SpoilingProxy.apiToken, "NO_COLOR": "1"])
            await hasSent.wait()
            process.signal(SIGKILL)
            _ = await process.lines()
            #expect(await process.end() == .killed(signal: SIGKILL))
        }
        let text = try String(contentsOfFile: earlier, encoding: .utf8)
        #expect(text.contains("The run was not finished."), "\(text)")
    }

    @Test func `a run of all checks fails by the one that finds the fault`() async throws {
        let example = try #require(Self.examples.first { $0.check == "changes.deleted" })
        let run = try await Self.run(example.spoil, [])
        try Self.expectFailure(run, of: example)
        let elements = try JUnitElements(of: run.junit)
        let count = elements.names.filter { $0 == "testcase" }.count
        #expect(count == Catalogue.groups.flatMap(\.checks).count)
        #expect(elements.failures == [example.check])
    }
}
