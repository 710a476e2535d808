// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RoostTestSupport
import Testing

/// A terminal of a test: `tmux` runs programs in it and says what is on their screens.
final class TmuxScreen: Sendable {
    /// The reason to skip a test; nil where `tmux` is installed.
    static let isMissing = !["/usr/bin/tmux", "/usr/local/bin/tmux", "/opt/homebrew/bin/tmux"]
        .contains { FileManager.default.isExecutableFile(atPath: $0) }

    /// The time that a screen has to become the expected one; far above any busy machine's.
    static let patience = Duration.seconds(90)

    private let socket: String
    private let name: String
    /// The process that reads the terminal.
    private let reader: Int32

    /// Starts a program in a terminal of its own.
    ///
    /// - Parameters:
    ///   - name: The name of the terminal in this folder.
    ///   - folder: The folder of the test, in which the program starts.
    ///   - words: The program and its arguments.
    ///   - columns: The columns at first.
    ///   - rows: The rows at first.
    ///   - environment: Variables of the program.
    /// - Throws: An error if `tmux` did not start it.
    init(
        _ name: String, in folder: URL, _ words: [String], columns: Int = 80, rows: Int = 24,
        environment: [String: String] = [:]
    ) async throws {
        let socket = folder.appending(path: "tmux-\(name)").path
        self.socket = socket
        self.name = name
        let variables = environment.sorted { $0.key < $1.key }.flatMap { ["-e", "\($0)=\($1)"] }
        let size = ["-x", "\(columns)", "-y", "\(rows)"]
        try await Self.tmux(
            socket,
            ["-f", "/dev/null", "new-session", "-d", "-s", name] + size + variables
                + ["-c", folder.path] + words)
        // The size is the test's, not that of a client that attaches.
        try await Self.tmux(socket, ["set-option", "-g", "window-size", "manual"])
        let answer = try await Self.tmux(socket, ["display-message", "-p", "#{pid}"])
        reader = try #require(Int32(answer.split(separator: "\n").joined()))
    }

    struct Failure: Error { let words: [String] }

    /// Runs a command of tmux and returns its output.
    @discardableResult
    private func tmux(_ words: [String]) async throws -> String {
        try await Self.tmux(socket, words)
    }

    @discardableResult
    private static func tmux(_ socket: String, _ words: [String]) async throws -> String {
        let process = try ChildProcess(
            "/usr/bin/env", ["-u", "TMUX", "tmux", "-u", "-S", socket] + words, errors: "/dev/null",
            environment: ["LC_ALL": "C.UTF-8", "TERM": "xterm-256color"])
        let output = await process.text { _ in false }
        guard await process.end() == .exited(0) else { throw Failure(words: words) }
        return output
    }

    /// Types a text as it is.
    func type(_ text: String) async throws {
        try await tmux(["send-keys", "-t", name, "-l", text])
    }

    /// Presses keys by their names in tmux, such as `Enter` and `C-o`.
    func press(_ keys: String...) async throws { try await press(keys) }

    func press(_ keys: [String]) async throws {
        try await tmux(["send-keys", "-t", name] + keys)
    }

    /// Stops the terminal, so that it reads nothing.
    func stall() { kill(reader, SIGSTOP) }

    /// Lets the terminal go on.
    func goOn() { kill(reader, SIGCONT) }

    /// The modes of the terminal that programs change, by the names of tmux.
    func modes() async throws -> String {
        try await tmux([
            "display-message", "-p", "-t", name,
            "alternate #{alternate_on} cursor #{cursor_flag} mouse #{mouse_any_flag} "
                + "keypad #{keypad_cursor_flag}",
        ]).split(separator: "\n").joined()
    }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux(["resize-window", "-t", name, "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The lines of the screen.
    func lines() async throws -> [String] {
        try await tmux(["capture-pane", "-p", "-t", name]).split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast().map { String($0) }
    }

    /// The lines of the screen at one moment, and one about its cursor.
    func linesAndCursor() async throws -> [String] {
        try await tmux([
            "capture-pane", "-p", "-t", name, ";", "display-message", "-p", "-t", name,
            "cursor: #{?cursor_flag,row #{cursor_y} column #{cursor_x},hidden}",
        ]).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
    }

    /// The colours and the other styles of the screen's texts, as the parameters of SGR.
    func styles() async throws -> (colors: Set<Int>, others: Set<Int>) {
        let screen = try await tmux(["capture-pane", "-p", "-e", "-t", name])
        var styles: (colors: Set<Int>, others: Set<Int>) = ([], [])
        for sequence in screen.matches(of: /\u{1B}\[([0-9;]*)m/) {
            let numbers = sequence.output.1.split(separator: ";").compactMap { Int($0) }
            var rest = numbers[...]
            while let number = rest.popFirst() {
                switch number {
                case 38, 48:
                    // The number of a colour, or its three parts.
                    rest = rest.dropFirst(rest.first == 2 ? 4 : 2)
                    styles.colors.insert(number)
                case 30...37, 40...47, 90...107: styles.colors.insert(number)
                // The ends of styles.
                case 0, 22...29, 39, 49: break
                default: styles.others.insert(number)
                }
            }
        }
        return styles
    }

    /// Sends what a terminal sends for an action of the mouse at a place, counted from 0.
    func mouse(_ button: MouseButton, row: Int, column: Int) async throws {
        var bytes = "\u{1B}[<\(button.rawValue);\(column + 1);\(row + 1)M"
        if button == .left { bytes += "\u{1B}[<\(button.rawValue);\(column + 1);\(row + 1)m" }
        try await press(["-H"] + bytes.utf8.map { String($0, radix: 16) })
    }

    /// The buttons by their numbers in the reports of a terminal.
    enum MouseButton: Int {
        case left = 0
        case wheelUp = 64
        case wheelDown = 65
    }

    /// Presses the mouse on a text of the screen.
    func click(_ text: String) async throws {
        let lines = try await wait(for: text)
        let row = try #require(lines.firstIndex { $0.contains(text) })
        let before = try #require(lines[row].range(of: text)).lowerBound
        try await mouse(.left, row: row, column: lines[row][..<before].count)
    }

    /// Reads the screen until it is as expected; each reading starts a process, which takes its time.
    @discardableResult
    func wait(
        for expected: String, _ holds: ([String]) -> Bool
    ) async throws -> [String] {
        let clock = ContinuousClock()
        let end = clock.now + Self.patience
        while true {
            let lines = try await lines()
            if holds(lines) { return lines }
            guard clock.now < end else {
                throw NeverShown(expected: expected, screen: lines.joined(separator: "\n"))
            }
        }
    }

    /// Waits until a text is on the screen.
    @discardableResult
    func wait(for text: String) async throws -> [String] {
        try await wait(for: text) { lines in lines.contains { $0.contains(text) } }
    }

    struct NeverShown: Error, CustomStringConvertible {
        let expected: String
        let screen: String
        var description: String { "never shown: \(expected)\nthe screen:\n\(screen)" }
    }

    /// Waits until the program has ended, and the terminal with it.
    func waitUntilEnded() async throws {
        let clock = ContinuousClock()
        let end = clock.now + Self.patience
        while let lines = try? await lines() {
            guard clock.now < end else {
                throw NeverShown(expected: "the end", screen: lines.joined(separator: "\n"))
            }
        }
    }

    /// Ends the terminal with its program.
    func end() async {
        goOn()
        _ = try? await tmux(["kill-server"])
    }
}
