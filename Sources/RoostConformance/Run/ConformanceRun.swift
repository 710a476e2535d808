// SPDX-License-Identifier: Apache-2.0

package import RoostSockets

/// Performs checks one after the other, each in a scene of its own.
///
/// Each wait and each check has an end, so a run ends with any server: a check takes at most four
/// waits, its removal of objects one more, and a server that answers nothing ends the run after a
/// few checks.
package struct ConformanceRun: Sendable {
    /// The waits that one check may take together.
    private static let waitsPerCheck = 4
    /// The checks without an answer, one after the other, that end a run.
    private static let silentChecks = 4
    private static let interruption = "The run was interrupted."

    /// The reason why no check was run.
    package struct Unusable: Error, Sendable {
        package let message: String
    }

    private let target: Target
    private let wait: Duration
    private let loop: EventLoop

    /// - Parameters:
    ///   - target: The server.
    ///   - wait: The limit of each wait.
    ///   - loop: The loop of the connections; its owner shuts it down.
    package init(_ target: Target, wait: Duration, on loop: EventLoop) {
        self.target = target
        self.wait = wait
        self.loop = loop
    }

    /// Runs checks and reports each result at once.
    ///
    /// A canceled run ends the check under way without a result, removes its objects as after any
    /// check, and runs no other.
    ///
    /// - Parameters:
    ///   - groups: The checks.
    ///   - report: Called with each result, in order.
    /// - Returns: The results of all checks, those that were not run included.
    /// - Throws: An error if the server cannot be reached, speaks another protocol, refuses the API
    ///   token or has no such application.
    package func run(
        _ groups: [CheckGroup], report: (CheckResult) -> Void
    ) async throws(Unusable) -> RunResult {
        let client = HTTPClient(on: loop)
        let prefix = "conform-\(RunName.fresh())"
        let greeting = Scene(target, prefix: prefix, wait: wait, whole: wait, client, on: loop)
        do throws(Unusable) {
            try await greet(in: greeting)
        } catch {
            guard Task.isCancelled else { throw error }
        }
        let isUnknown = Task.isCancelled ? false : await refusesApplication(in: greeting)
        var run = RunResult(server: target.server, applicationID: target.applicationID)
        run.leave(await greeting.end(limit: wait))
        guard !isUnknown else {
            throw Unusable(
                message: "\(target.server) has no application “\(target.applicationID)” (400304): "
                    + "give the server's as --app-id.")
        }
        var silent = 0
        for group in groups {
            for (number, check) in group.checks.enumerated() {
                if Task.isCancelled, run.end == nil { run.giveUp(Self.interruption) }
                guard run.end == nil else {
                    let result = CheckResult(
                        check: check, group: group.name, outcome: .notRun, duration: .zero)
                    run.add(result)
                    report(result)
                    continue
                }
                let scene = Scene(
                    target, prefix: "\(prefix)-\(group.name)\(number)", wait: wait,
                    whole: wait * Self.waitsPerCheck, client, on: loop)
                let watch = Watch()
                var (outcome, isSilent) = await perform(check, of: group, in: scene)
                if Task.isCancelled {
                    // Its failure would be that of the cancellation.
                    (outcome, isSilent) = (.notRun, false)
                    run.giveUp(Self.interruption)
                }
                let result = CheckResult(
                    check: check, group: group.name, outcome: outcome, duration: watch.elapsed)
                run.leave(await scene.end(limit: wait))
                run.add(result)
                report(result)
                silent = isSilent ? silent + 1 : 0
                if silent == Self.silentChecks {
                    run.giveUp("The server has left \(silent) checks in a row without an answer.")
                }
            }
        }
        return run
    }

    private func perform(
        _ check: Check, of group: CheckGroup, in scene: Scene
    ) async -> (outcome: CheckResult.Outcome, isSilent: Bool) {
        do throws(CheckFailure) {
            try await check.body(scene)
            return (.holds, false)
        } catch {
            let isSkipped =
                error.kind == .notApplicable || error.kind == .notOffered && !group.isRequired
            if isSkipped { return (.skipped(scene.transcript.clean(error.seen)), false) }
            return (
                .failed(
                    expected: scene.transcript.clean(error.expected),
                    seen: scene.transcript.clean(error.seen), transcript: scene.transcript.lines),
                error.kind == .unanswered
            )
        }
    }

    /// Makes one call of the platform, so that a wrong address or token is one clear sentence.
    private func greet(in scene: Scene) async throws(Unusable) {
        let answer: Answer
        do throws(CheckFailure) {
            answer = try await scene.answer("GET", "/users", ["limit": 1])
        } catch {
            throw Unusable(
                message: "\(target.server) does not answer calls: "
                    + scene.transcript.clean(error.seen))
        }
        if answer.status == 200, answer["users"].isList { return }
        if answer.code == 400_401 {
            throw Unusable(
                message: "\(target.server) refuses the API token (400401): give the one that the "
                    + "server was started with.")
        }
        throw Unusable(
            message: "\(target.server) does not speak the protocol: GET /v3/users answered "
                + scene.transcript.clean(answer.excerpt))
    }

    /// Logs a new user in, because a login names the application and a call does not.
    ///
    /// Any other refusal, and silence, are for the checks to judge.
    private func refusesApplication(in scene: Scene) async -> Bool {
        let user = scene.name("user")
        scene.remember("/users/\(user)")
        do throws(CheckFailure) {
            let (_, login) = try await scene.logIn(["user_id": user, "access_token": "null"])
            return login["code"] == 400_304
        } catch {
            return false
        }
    }
}
