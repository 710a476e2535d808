// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Roost
internal import RoostChat
internal import RoostExecutors
internal import RoostModel
internal import RoostTerminal

/// The chat in the terminal under a load that no reader could follow.
package struct ChatBench {
    package struct Options: Sendable {
        package var load = LiveLoad(messages: 100_000, seconds: 30)
        /// The folder of the cache during the run.
        package var folder: String

        package init(folder: String) { self.folder = folder }
    }

    /// The milliseconds of a frame at 30 frames a second.
    private static let frame = 33.0
    private static let size = GridSize(rows: 60, columns: 200)

    private let options: Options
    private let tell: @Sendable (String) -> Void

    /// - Returns: The figures; a missed target is one of them, and no error.
    /// - Throws: An error if the folder cannot be used, or the client fails.
    package static func run(
        _ options: Options, progress: @escaping @Sendable (String) -> Void
    ) async throws(BenchError) -> BenchReport {
        try Machine.makeFolder(options.folder)
        do {
            return try await ChatBench(options: options, tell: progress).measure()
        } catch let error as BenchError {
            throw error
        } catch {
            throw BenchError("The chat failed: \(error)")
        }
    }

    private func measure() async throws -> BenchReport {
        let opened = try await options.load.open("\(options.folder)/cache", tell)
        let terminal = try PseudoTerminal(Self.size)
        do {
            var frames = try await measure(opened.feed, opened.server, opened.client, terminal)
            frames.bytes = await terminal.end()
            return report(frames)
        } catch {
            _ = await terminal.end()
            throw error
        }
    }

    private func measure(
        _ feed: LiveFeed, _ server: InProcessServer, _ client: ChatClient,
        _ terminal: PseudoTerminal
    ) async throws -> Frames {
        let newest = Guarded<ChatState?>(nil)
        let painted = Guarded<[Double]>([])
        let screen = TerminalScreen(usesColor: true) { took in
            painted.withLock { $0.append(took / .milliseconds(1)) }
        }
        guard let screen else { throw BenchError("The system has no free file descriptors.") }
        let session = ChatSession(
            client, size: Self.size, timeZone: .gmt,
            savingFilesIn: URL(fileURLWithPath: options.folder),
            show: { state in
                newest.withLock { $0 = state }
                screen.show(state)
            }, repaint: {})
        let running = Task { await session.run() }
        let painting = Task { await terminal.run { screen.run { session.send($0) } } }
        do {
            var frames = try await flood(session, feed, server, newest)
            session.send(.quit)
            await running.value
            screen.finish()
            guard await painting.value else {
                throw BenchError("ncurses does not know xterm-256color: install its description.")
            }
            frames.painted = painted.withLock { $0 }
            return frames
        } catch {
            session.send(.quit)
            await running.value
            screen.finish()
            _ = await painting.value
            throw error
        }
    }

    /// Delivers the messages and draws the newest state meanwhile.
    private func flood(
        _ session: ChatSession, _ feed: LiveFeed, _ server: InProcessServer,
        _ newest: Guarded<ChatState?>
    ) async throws -> Frames {
        var feed = feed
        session.send(.created(feed.channel))
        let watch = Stopwatch()
        while newest.withLock({ $0?.conversation?.messages.isEmpty ?? true }) {
            guard watch.microseconds < 60e6 else { throw BenchError("The chat shows no message.") }
            try await watch.wait(until: watch.microseconds + 10_000)
        }
        tell("\(LiveLoad.rate) a second, for \(options.load.seconds) s")
        async let drawn = draw(newest)
        let clock = Stopwatch()
        for number in 0..<LiveLoad.rate * options.load.seconds {
            try await clock.wait(until: 1e6 * Double(number) / Double(LiveLoad.rate))
            server.feed(feed.next())
        }
        return try await drawn
    }

    /// The measured frames.
    private struct Frames {
        /// The milliseconds from the newest state to the cells to write.
        var took: [Double] = []
        /// The milliseconds between two frames.
        var between: [Double] = []
        var changed = 0
        /// The milliseconds from the newest state to its bytes at the terminal.
        var painted: [Double] = []
        /// The bytes at the terminal.
        var bytes = 0
        /// The memory in KiB after a third of the time, and at the end.
        var early = 0
        var late = 0
    }

    /// Draws the newest state as the terminal's thread does, which writes it besides.
    private func draw(_ newest: Guarded<ChatState?>) async throws -> Frames {
        var frames = Frames()
        var old: Grid?
        let clock = Stopwatch()
        let end = Double(options.load.seconds) * 1e6
        var last = clock.microseconds
        while clock.microseconds < end {
            try await clock.wait(until: last + Self.frame * 1_000)
            let now = clock.microseconds
            if old != nil { frames.between.append((now - last) / 1_000) }
            last = now
            guard let state = newest.withLock({ $0 }) else { continue }
            let watch = Stopwatch()
            let grid = ChatScreen.draw(state)
            frames.changed += grid.runs(since: old).isEmpty ? 0 : 1
            frames.took.append(watch.microseconds / 1_000)
            old = grid
            if frames.early == 0, now > end / 3 { frames.early = Machine.memory?.now ?? 0 }
        }
        frames.late = Machine.memory?.now ?? 0
        return frames
    }

    private func report(_ frames: Frames) -> BenchReport {
        var report = BenchReport()
        report.note("machine", Machine.description)
        report.note("load average", Machine.load.map { "\($0)" } ?? "unknown")
        report.note("screen", "\(Self.size.columns) × \(Self.size.rows)")
        report.note("frames", "\(frames.took.count), of which \(frames.changed) had changes")
        let bytes = frames.bytes / max(frames.painted.count, 1)
        report.note("terminal", "\(frames.painted.count) frames, \(bytes) bytes each")
        report.add(
            "chat", "\(LiveLoad.rate) messages a second: a frame drawn and compared", "ms (p50)",
            ours: frames.took.median, limit: nil)
        report.add(
            "chat", "\(LiveLoad.rate) messages a second: a frame drawn and compared", "ms (p99)",
            ours: frames.took.quantile(0.99), limit: Self.frame, target: 1)
        let written = "\(LiveLoad.rate) messages a second: a frame drawn, compared and written"
        report.add("chat", written, "ms (p50)", ours: frames.painted.median, limit: nil)
        report.add(
            "chat", written, "ms (p99)", ours: frames.painted.quantile(0.99), limit: Self.frame,
            target: 1)
        report.add(
            "chat", "time between two frames", "ms (p99)", ours: frames.between.quantile(0.99),
            limit: Self.frame)
        report.add(
            "chat", "memory at the end; limit: after a third of the time", "MiB",
            ours: Double(frames.late) / 1_024, limit: Double(frames.early) / 1_024, target: 1.1)
        return report
    }
}
