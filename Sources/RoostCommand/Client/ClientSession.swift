// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCommandLine
import RoostHistory
import RoostRequests
import RoostWire

/// The session of one script: its requests in order, and the client's events in between.
///
/// Child tasks observe the open lists; they end with the list or with the session.
struct ClientSession {
    let client: ChatClient
    let output: StandardOutput
    /// The record of the session for `roost check`; nil if none is kept.
    let history: HistoryFile?
    /// Whether each change of the client's health is an event.
    let reportsHealth: Bool
    /// The link to the live page; nil without one.
    let page: String?
    var timeline: Timeline?
    var list: ChannelList?
    /// The inboxes that are being read, by name.
    var inboxes: [String: InboxReport] = [:]

    init(
        client: ChatClient, output: StandardOutput, history: HistoryFile? = nil,
        reportsHealth: Bool = false, page: String? = nil
    ) {
        self.client = client
        self.output = output
        self.history = history
        self.reportsHealth = reportsHealth
        self.page = page
    }

    /// The effect of a request besides its answer.
    enum Outcome {
        /// The error is beside the result: the cache answers if the server does not.
        case answered(JSONValue, RoostError? = nil)
        case opened(
            Timeline, AsyncStream<ListDiff<Message>>, AsyncStream<RoostError>, JSONValue)
        case listed(ChannelList, AsyncStream<ListDiff<GroupChannel>>, JSONValue, RoostError?)
        case reading(InboxReport)
        case quit
    }

    /// Answers every line until the end of input or until `quit`.
    ///
    /// A lost line of output ends it, too: the owner of both streams ends the input then.
    mutating func run(reading input: StandardInput) async {
        let (client, output, history) = (client, output, history)
        let reportsHealth = reportsHealth
        // Observed from before the first request: a request may be refused at once.
        let outbox = await client.outboxEvents()
        let events = await client.events()
        await history?.record(
            .start(
                HistoryStart(
                    user: client.configuration.userID.rawValue,
                    application: client.configuration.applicationID)))
        await recordFailures()
        await output.write(readyLine.text)
        if let page {
            let link = JSONValue.Field("url", .string(page))
            await output.write(ReplyLine.event("page", [link]).text)
        }
        await withDiscardingTaskGroup { group in
            group.addTask { await Self.reportOutcomes(outbox, to: output, history) }
            group.addTask {
                await Self.report(events, for: client.configuration.userID, to: output)
            }
            group.addTask { await Self.reportConnection(of: client, to: output) }
            if reportsHealth {
                group.addTask { await Self.reportHealth(of: client, to: output) }
            }
            var isOpen = true
            while isOpen, let line = await input.next() {
                let line = RequestLine(line)
                let call = await recordCall(line)
                // A message without the line of its call would be judged as one that no call sent.
                if let failure = await history?.failure {
                    await output.write(ReplyLine.failure(line.id, RoostError(failure)).text)
                    break
                }
                let answer: JSONValue
                do throws(RoostError) {
                    switch try await perform(try line.outcome.get(), as: call) {
                    case .answered(let result, let error):
                        answer = ReplyLine.answer(line.id, result, error)
                    case .opened(let timeline, let changes, let refusals, let result):
                        group.addTask {
                            await Self.report(changes, of: timeline, to: output, history)
                        }
                        group.addTask { await Self.reportHugeGaps(of: timeline, to: output) }
                        group.addTask {
                            await Self.report(refusals, of: timeline.channel, to: output)
                        }
                        answer = ReplyLine.success(line.id, result)
                    case .listed(_, let changes, let result, let error):
                        group.addTask { await Self.report(changes, to: output) }
                        answer = ReplyLine.answer(line.id, result, error)
                    case .reading(let report):
                        group.addTask { await report.run(to: output) }
                        answer = ReplyLine.success(line.id, [:])
                    case .quit:
                        answer = ReplyLine.success(line.id, [:])
                        isOpen = false
                    }
                } catch {
                    answer = ReplyLine.failure(line.id, error)
                }
                if let call {
                    await history?.record(.answer(HistoryAnswer(answer, to: call)))
                }
                if await !output.write(answer.text) { isOpen = false }
                // A history with a hole in it would be judged as a fault of the client.
                if await history?.failure != nil { isOpen = false }
            }
            group.cancelAll()
        }
        await client.close()
    }

    /// Records a request before it is performed; returns the number of the line.
    private func recordCall(_ line: RequestLine) async -> Int64? {
        guard let history, case .success(let request) = line.outcome,
            let call = HistoryCall(request, open: timeline?.channel)
        else { return nil }
        return await history.record(.call(call))
    }

    private var readyLine: JSONValue {
        ReplyLine.event(
            "ready",
            [
                JSONValue.Field("version", .string(Program.version)),
                JSONValue.Field("user", .string(client.configuration.userID.rawValue)),
                JSONValue.Field("app_id", .string(client.configuration.applicationID)),
                JSONValue.Field("storage", .array(client.storageReport.map { .string($0) })),
            ])
    }
}

// MARK: - Events

extension ClientSession {
    private static func reportConnection(of client: ChatClient, to output: StandardOutput) async {
        for await state in await client.connectionStates() {
            await output.write(ReplyLine.connection(state).text)
        }
    }

    private static func reportHealth(of client: ChatClient, to output: StandardOutput) async {
        for await health in await client.healthStates() {
            let fields = JSONValue.healthFields(health, at: WallClock.now)
            await output.write(ReplyLine.event("health", fields).text)
        }
    }

    /// Records the messages that failed and the refused changes: a killed process may not have come
    /// to it.
    private func recordFailures() async {
        guard let history else { return }
        for message in await client.unsentMessages() where message.status == .failed {
            if let fact = HistoryFact(.failed(message)) { await history.record(fact) }
        }
        for refusal in await client.refusals() {
            if let fact = HistoryFact(.changeRefused(refusal)) { await history.record(fact) }
        }
    }

    private static func report(
        _ changes: AsyncStream<ListDiff<Message>>, of timeline: Timeline,
        to output: StandardOutput, _ history: HistoryFile?
    ) async {
        let channel = JSONValue.Field("channel", .string(timeline.channel.rawValue))
        for await diff in changes {
            if let history, let fact = HistoryFact(diff, of: timeline.channel) {
                await history.record(fact)
            }
            let fields = [channel] + JSONValue.changes(diff) { .message($0) }
            await output.write(ReplyLine.event("timeline", fields).text)
        }
    }

    private static func reportHugeGaps(of timeline: Timeline, to output: StandardOutput) async {
        let channel = JSONValue.Field("channel", .string(timeline.channel.rawValue))
        var wasHuge = false
        for await extent in await timeline.extents() {
            if extent.hasHugeGap, !wasHuge {
                await output.write(ReplyLine.event("huge_gap", [channel]).text)
            }
            wasHuge = extent.hasHugeGap
        }
    }

    /// Reports a channel that the server refuses to show: `open` has already answered from the
    /// cache.
    private static func report(
        _ refusals: AsyncStream<RoostError>, of channel: ChannelURL, to output: StandardOutput
    ) async {
        for await error in refusals {
            await output.write(ReplyLine.refusal(opening: channel, error).text)
        }
    }

    /// Reports refused requests of any channel, whose answers came before, and records all outcomes.
    private static func reportOutcomes(
        _ events: AsyncStream<OutboxEvent>, to output: StandardOutput, _ history: HistoryFile?
    ) async {
        for await event in events {
            if let history, let fact = HistoryFact(event) { await history.record(fact) }
            guard let line = ReplyLine.refusal(event) else { continue }
            await output.write(line.text)
        }
    }

    private static func report(
        _ events: AsyncStream<ChatEvent>, for me: UserID, to output: StandardOutput
    ) async {
        for await event in events {
            guard let line = ReplyLine.live(event, for: me) else { continue }
            await output.write(line.text)
        }
    }

    private static func report(
        _ changes: AsyncStream<ListDiff<GroupChannel>>, to output: StandardOutput
    ) async {
        for await diff in changes {
            let fields = JSONValue.changes(diff) { .channel($0) }
            await output.write(ReplyLine.event("channels", fields).text)
        }
    }
}

extension RoostError {
    /// Creates the answer to a request whose line the history cannot take.
    fileprivate init(_ failure: CommandFailure) {
        self.init(.localDatabaseError, remedy: .repairStorage, message: failure.message)
    }
}

extension ReplyLine {
    /// Returns the event for a state of the connection.
    static func connection(_ state: ConnectionState) -> JSONValue {
        var fields = [JSONValue.Field("state", .string(state.name))]
        switch state {
        case .reconnecting(let error?), .refused(let error):
            fields.append(JSONValue.Field("error", .error(error)))
        case .disconnected, .connecting, .connected, .reconnecting(nil): break
        }
        return event("connection", fields)
    }
}
