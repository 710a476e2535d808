// SPDX-License-Identifier: Apache-2.0

import CRoostNcurses
public import RoostChat
import Synchronization

/// The terminal of this process: keys in, states out.
///
/// One thread reads and draws. It draws the newest state, at most about 30 times a second; states
/// in between are dropped. So a slow terminal holds up its own thread and nothing else.
public final class TerminalScreen: Sendable {
    /// The shortest time between two frames.
    private static let frame = Duration.milliseconds(33)
    /// The most keys between two frames, so that an endless paste holds up nothing.
    private static let maxKeys = 8_192

    private struct Shared {
        var newest: ChatState?
        var isClosed = false
        var needsRepaint = false
        var isAwake = false
    }

    private let shared = Mutex(Shared())
    private let reading: Int32
    private let writing: Int32
    private let usesColor: Bool
    private let frameTook: (@Sendable (Duration) -> Void)?

    /// - Parameters:
    ///   - usesColor: Whether colours are wanted and not refused by `NO_COLOR`.
    ///   - frameTook: Gets the time from each newest state to its last byte; for measurements.
    public init?(usesColor: Bool, frameTook: (@Sendable (Duration) -> Void)? = nil) {
        self.usesColor = usesColor
        self.frameTook = frameTook
        var (reading, writing): (Int32, Int32) = (-1, -1)
        // SAFETY: both numbers are valid during the call.
        guard unsafe roost_nc_make_pipe(&reading, &writing) == 0 else { return nil }
        (self.reading, self.writing) = (reading, writing)
    }

    deinit { roost_nc_close_pipe(reading, writing) }

    /// Whether standard input and output are a terminal.
    public static var isTerminal: Bool { roost_nc_is_terminal() != 0 }

    // MARK: Any thread

    /// Shows a state instead of those before it; returns at once.
    public func show(_ state: ChatState) {
        shared.withLock { $0.newest = state }
        wake()
    }

    /// Draws all cells again; returns at once.
    public func repaint() {
        shared.withLock { $0.needsRepaint = true }
        wake()
    }

    /// Ends `run`; returns at once.
    public func finish() {
        shared.withLock { $0.isClosed = true }
        wake()
    }

    /// Gives the terminal back while `run` waits for a terminal that reads nothing.
    @inline(never)
    public static func giveBack() { roost_nc_restore() }

    /// Lets the thread look at the size of the terminal; returns at once.
    public func wake() {
        let isFirst = shared.withLock { shared in
            defer { shared.isAwake = true }
            return !shared.isAwake
        }
        if isFirst { roost_nc_wake(writing) }
    }

    // MARK: The terminal's thread

    /// Takes the terminal over and blocks the calling thread until `finish`.
    ///
    /// - Parameter receive: Gets keys, actions of the mouse and sizes, the first size at once.
    /// - Returns: False for a terminal that ncurses does not know, or in which it cannot draw.
    @inline(never)
    public func run(_ receive: (ChatInput) -> Void) -> Bool {
        guard roost_nc_open() == 0 else { return false }
        defer { roost_nc_close() }
        var painter = Painter(usesColor: usesColor)
        var size = followSize().size
        receive(.resized(size))
        let clock = ContinuousClock()
        var nextFrame = clock.now
        var state: ChatState?
        // A frame is due, and whether all of its cells have to be written.
        var (isFresh, isLost) = (false, false)
        var events = EventReader()
        var paste = PasteReader()
        var hasMore = false
        while true {
            let due = [isFresh ? nextFrame : nil, paste.deadline, hasMore ? clock.now : nil]
            wait(atMost: due.compactMap { $0 }.min().map { clock.now.duration(to: $0) })
            let (newest, isClosed, needsRepaint) = take()
            if isClosed {
                // The draft gets the part of a paste that has come.
                _ = readAll(&events, into: &paste, receive)
                if let input = paste.end() { receive(input) }
                return true
            }
            if let newest {
                state = newest
                isFresh = true
            }
            let seen = followSize()
            if seen.hasChanged {
                size = seen.size
                receive(.resized(size))
            }
            if seen.hasChanged || needsRepaint { (isFresh, isLost) = (true, true) }
            hasMore = readAll(&events, into: &paste, receive)
            if let input = paste.end(overdueAt: clock.now) { receive(input) }
            // A crash draws nothing any more, so no frame is due.
            if roost_nc_has_crashed() != 0 { isFresh = false }
            guard isFresh, var current = state, clock.now >= nextFrame else { continue }
            // The state may not know of a new size yet.
            if current.size != size { current = current.resized(to: size) }
            let began = clock.now
            // Reading a key would show an empty screen, so it is emptied at the last moment.
            if isLost { painter.forget() }
            painter.paint(ChatScreen.draw(current))
            frameTook?(clock.now - began)
            (isFresh, isLost) = (false, false)
            nextFrame = clock.now + Self.frame
        }
    }

    private func take() -> (ChatState?, isClosed: Bool, needsRepaint: Bool) {
        roost_nc_drain(reading)
        return shared.withLock { shared in
            defer {
                shared.newest = nil
                shared.isAwake = false
                shared.needsRepaint = false
            }
            return (shared.newest, shared.isClosed, shared.needsRepaint)
        }
    }

    /// Waits for a key, a wake-up, or the time of the next frame.
    private func wait(atMost duration: Duration?) {
        let milliseconds = duration.map { max(0, Int32(clamping: Int($0 / .milliseconds(1)) + 1)) }
        // A terminal that has gone is readable for ever.
        if roost_nc_wait(reading, milliseconds ?? -1) != 0 { finish() }
    }

    private func followSize() -> (size: GridSize, hasChanged: Bool) {
        var (rows, columns): (Int32, Int32) = (0, 0)
        // SAFETY: both numbers are valid during the call.
        let hasChanged = unsafe roost_nc_follow_size(&rows, &columns) == 1
        return (GridSize(rows: Int(rows), columns: Int(columns)), hasChanged)
    }

    /// Reads the keys that have come, and returns whether there are more.
    private func readAll(
        _ events: inout EventReader, into paste: inout PasteReader, _ receive: (ChatInput) -> Void
    ) -> Bool {
        for _ in 0..<Self.maxKeys {
            guard let event = events.next() else { return false }
            let now = ContinuousClock.now
            switch event {
            case .pasteStart: paste.begin(at: now)
            case .pasteEnd: if let input = paste.end() { receive(input) }
            case .key(let key): if !paste.take(key, at: now) { receive(.key(key)) }
            case .sequence(let sequence) where sequence.isWhole && paste.deadline == nil:
                if let key = sequence.key { receive(.key(key)) }
            case .sequence(let sequence):
                // In a paste, or without its end, it is a text behind an escape.
                let text = sequence.text.unicodeScalars.map { Key.character($0) }
                for key in [.alt("[")] + text where !paste.take(key, at: now) {
                    receive(.key(key))
                }
            // A pasted text must not act as a mouse.
            case .mouse(let action): if paste.deadline == nil { receive(.mouse(action)) }
            }
        }
        return true
    }
}
