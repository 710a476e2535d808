// SPDX-License-Identifier: Apache-2.0

import RoostChat
import RoostTerminal

/// The thread of a terminal's screen, from its start to its end.
struct ScreenThread {
    /// The time that a terminal has to read the rest; one that reads nothing gets no more.
    private static let patience = Duration.seconds(2)

    private let screen: TerminalScreen
    private let session: ChatSession
    /// Yields whether the terminal was known, at the end of the thread.
    private let ends: AsyncStream<Bool>
    private let feed: AsyncStream<Bool>.Continuation

    /// Takes the terminal over; its end is the end of the session.
    init(_ screen: TerminalScreen, _ session: ChatSession) {
        (self.screen, self.session) = (screen, session)
        let (ends, feed) = AsyncStream.makeStream(of: Bool.self)
        (self.ends, self.feed) = (ends, feed)
        // It ends with the thread, which no cancellation ends.
        Task {
            feed.yield(await OwnThread.run { screen.run { session.send($0) } })
            session.send(.quit)
        }
    }

    /// Ends the session behind the input that has come, such as a part of a paste.
    ///
    /// A thread that still waits for its terminal is not waited for longer than `end` does.
    func leave() { _ = finish() }

    /// Gives the terminal back and returns whether it was known.
    ///
    /// A thread that still waits for its terminal is left behind: it ends with the program.
    func end() async -> Bool {
        let bound = finish()
        defer { bound.cancel() }
        if let isKnown = await ends.first(where: { _ in true }) { return isKnown }
        TerminalScreen.giveBack()
        return true
    }

    /// Asks the thread to end, and bounds the wait for a terminal that reads nothing.
    ///
    /// - Returns: The task that ends the wait and the session; usually the thread is first.
    private func finish() -> Task<Void, Never> {
        screen.finish()
        return Task {
            try? await Task.sleep(for: Self.patience)
            feed.finish()
            session.send(.quit)
        }
    }
}
