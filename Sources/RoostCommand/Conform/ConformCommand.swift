// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostConformance
import RoostModel
import RoostSockets

extension Option {
    fileprivate static let target = Option(
        "server", .text(placeholder: "URL"),
        help: "the server to judge, such as http://127.0.0.1:8080")
    fileprivate static let application = Option(
        "app-id", .text(placeholder: "ID"),
        help: "the ID of the application, as the server was given it")
    fileprivate static let only = Option(
        "only", .text(placeholder: "NAME"), mayRepeat: true,
        help: "run or list this group or this check only")
    fileprivate static let list = Option(
        "list", help: "print the checks, and run none; takes no other option but --only")
    fileprivate static let timeout = Option(
        "timeout", .number(placeholder: "SECONDS", 1...600), standard: "10",
        help: "the limit of each wait for the server; a check may wait four times as long")
    fileprivate static let junit = Option(
        "junit", .text(placeholder: "FILE"), help: "write the results as JUnit XML, too")
    fileprivate static let html = Option(
        "html", .text(placeholder: "FILE"), help: "write the results as one HTML page, too")
}

extension Command {
    static let conform = Command(
        "conform", summary: "checks whether a server keeps the rules of the protocol",
        explanation: """
            Needs --server, --app-id and the API token of the server, or --list alone.

            Makes users and channels on a server, looks at its answers and frames, and removes
            them again. Each check is a rule of docs/protocol, named by its section. The server
            may be any that claims to speak the protocol; docs/conformance.md has the checks and
            explains a report.

            The API token comes from --api-token-file, from the variable ROOST_API_TOKEN or from
            --api-token.
            """,
        options: [
            .target, .application, .apiTokenFile, .apiToken, .only, .list, .timeout, .junit, .html,
        ],
        example: "roost conform --server http://127.0.0.1:8080 --app-id demo "
            + "--api-token-file ./secret",
        exitCodes: ExitCode.allCases,
        run: { arguments throws(CommandFailure) in
            let groups = try selection(arguments)
            let drawing = ConformDrawing(style: .standardOutput, groups: groups)
            guard !arguments.has(.list) else {
                try refuseOptionsOfRun(arguments)
                for line in drawing.list { StandardOutput.writeNow(line) }
                return
            }
            let target = try target(arguments)
            // A file of an earlier run must not be taken for one of this run, however it ends.
            try write(unfinished(target, "The run was not finished."), arguments, isFirst: true)
            let result: RunResult
            do throws(CommandFailure) {
                result = try await run(groups, target, arguments, drawing)
            } catch {
                try write(unfinished(target, error.message), arguments)
                throw error
            }
            for line in drawing.summary(of: result) { StandardOutput.writeNow(line) }
            try write(result, arguments)
            guard result.isGood else {
                throw CommandFailure(.failed, drawing.verdict(of: result))
            }
        })

    /// Refuses the options that have no effect on a list.
    private static func refuseOptionsOfRun(_ arguments: Arguments) throws(CommandFailure) {
        let options: [Option] = [
            .target, .application, .apiTokenFile, .apiToken, .timeout, .junit, .html,
        ]
        guard let option = options.first(where: { arguments.has($0) }) else { return }
        throw CommandFailure(
            .wrongArguments, "--list runs no check: leave --\(option.name) out.")
    }

    private static func selection(_ arguments: Arguments) throws(CommandFailure) -> [CheckGroup] {
        do throws(Selection.Unknown) {
            return try Selection.of(arguments.texts(.only))
        } catch {
            let names = Catalogue.groups.flatMap { [$0.name] + $0.checks.map(\.id) }
            throw CommandFailure(
                .wrongArguments,
                "There is no check or group “\(error.word)”"
                    + NearestName.question(for: error.word, among: names)
                    + " roost conform --list names all.")
        }
    }

    private static func target(_ arguments: Arguments) throws(CommandFailure) -> Target {
        let secret = Secret(option: .apiToken, file: .apiTokenFile, variable: "ROOST_API_TOKEN")
        let token = try secret.read(arguments)
        let missing = [
            arguments.has(.target) ? nil : Option.target.usage,
            arguments.has(.application) ? nil : Option.application.usage,
            token == nil ? "--api-token-file FILE, or the variable ROOST_API_TOKEN" : nil,
        ].compactMap { $0 }
        guard let server = arguments.text(.target), let id = arguments.text(.application),
            let token, missing.isEmpty
        else {
            throw CommandFailure(
                .wrongArguments,
                "roost conform still needs \(missing.joined(separator: ", ")). "
                    + "See roost help conform.")
        }
        guard let target = Target(server: server, applicationID: id, apiToken: token) else {
            throw CommandFailure(
                .wrongArguments,
                "--server wants an address such as http://127.0.0.1:8080, not “\(server)”.")
        }
        return target
    }

    private static func run(
        _ groups: [CheckGroup], _ target: Target, _ arguments: Arguments, _ drawing: ConformDrawing
    ) async throws(CommandFailure) -> RunResult {
        let loop: EventLoop
        do throws(SocketError) {
            loop = try EventLoop.start()
        } catch {
            throw CommandFailure(.failed, error.message)
        }
        let run = ConformanceRun(
            target, wait: .seconds(arguments.number(.timeout) ?? 10), on: loop)
        let signals = SignalWatch()
        // On the thread of the sockets, for which the checks wait.
        let running = Task(executorPreference: loop) {
            await Self.outcome(of: run, groups, drawing)
        }
        let interruptions = signals.signals
        let outcome = await withDiscardingTaskGroup {
            watching -> Result<RunResult, ConformanceRun.Unusable> in
            watching.addTask { await Self.cancel(running, at: interruptions) }
            let outcome = await running.value
            watching.cancelAll()
            return outcome
        }
        // The signals are watched up to here.
        withExtendedLifetime(signals) {}
        await loop.shutdown()
        switch outcome {
        case .success(let result): return result
        case .failure(let error): throw CommandFailure(.server, error.message)
        }
    }

    private static func outcome(
        of run: ConformanceRun, _ groups: [CheckGroup], _ drawing: ConformDrawing
    ) async -> Result<RunResult, ConformanceRun.Unusable> {
        var group = ""
        do throws(ConformanceRun.Unusable) {
            return .success(
                try await run.run(groups) { result in
                    if result.group != group {
                        group = result.group
                        StandardOutput.writeNow(drawing.title(of: group))
                    }
                    for line in drawing.lines(of: result) { StandardOutput.writeNow(line) }
                })
        } catch {
            return .failure(error)
        }
    }

    /// Cancels a run at the first signal, so that it still removes its objects; the second one ends
    /// the program.
    private static func cancel(
        _ running: Task<Result<RunResult, ConformanceRun.Unusable>, Never>,
        at signals: AsyncStream<Int32>
    ) async {
        for await _ in signals {
            guard !running.isCancelled else { exit(ExitCode.failed.rawValue) }
            running.cancel()
            StandardError.write(
                "roost: The run ends when the objects of its check are removed; a second signal ends "
                    + "it at once.")
        }
    }

    /// Returns a run without results, with the reason.
    private static func unfinished(_ target: Target, _ reason: String) -> RunResult {
        var result = RunResult(server: target.server, applicationID: target.applicationID)
        result.giveUp(reason)
        return result
    }

    /// Writes the files that the options name.
    private static func write(
        _ result: RunResult, _ arguments: Arguments, isFirst: Bool = false
    ) throws(CommandFailure) {
        try write(JUnitReport.text(of: result), arguments, .junit, isFirst: isFirst)
        let date = WallClock.date(WallClock.now) + " UTC"
        try write(HTMLReport.text(of: result, date: date), arguments, .html, isFirst: isFirst)
    }

    private static func write(
        _ text: String, _ arguments: Arguments, _ option: Option, isFirst: Bool
    ) throws(CommandFailure) {
        guard let path = arguments.text(option), !isFirst || TextFile.mayBeRewritten(path) else {
            return
        }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure(
                .storage, "\(path) cannot be written: name another file as --\(option.name).")
        }
    }
}
