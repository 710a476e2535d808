// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendBirdSDK

/// The commands and the lines that stand for an app's buttons and views.
final class Screen {
    /// A command with the words behind its name.
    typealias Command = (_ rest: String) -> Void

    private var commands: [String: Command] = [:]
    /// Ends the present command.
    private var finish: CheckedContinuation<Void, Never>?
    /// The areas of the app; the library holds delegates weakly.
    var areas: [Any] = []

    /// Adds a command, which must call `done` or `next` once.
    func on(_ name: String, _ command: @escaping Command) {
        commands[name] = command
    }

    /// Prints a line without buffering.
    func show(_ words: String...) {
        write(words)
    }

    /// Prints the outcome of a command, and ends it.
    func done(_ words: String...) {
        write(words)
        next()
    }

    /// Prints the outcome of a call, and ends the command.
    func done(_ words: String..., error: SBDError?) {
        write(error.map { ["error \($0.code)"] } ?? words)
        next()
    }

    /// Ends the present command without a line.
    func next() {
        finish?.resume()
        finish = nil
    }

    /// Performs the commands of the standard input, one at a time.
    func run() async {
        for await line in Self.input() {
            let (name, rest) = line.firstWord
            guard let command = commands[name] else {
                show("Commands:", commands.keys.sorted().listed)
                if name == "help" { continue }
                show("There is no command “\(name)”; help names all.")
                exit(2)
            }
            await withCheckedContinuation { finish in
                self.finish = finish
                command(rest)
            }
        }
        exit(0)
    }

    /// Reads lines on another thread, so that events are shown meanwhile.
    private static func input() -> AsyncStream<String> {
        AsyncStream { lines in
            DispatchQueue.global().async {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
        }
    }

    private func write(_ words: [String]) {
        FileHandle.standardOutput.write(Data((words.joined(separator: " ") + "\n").utf8))
    }
}

extension String {
    /// The text before the first space and the text after it.
    var firstWord: (String, rest: String) {
        let words = split(separator: " ", maxSplits: 1).map(String.init)
        return (words.first ?? "", words.count > 1 ? words[1] : "")
    }
}

extension Sequence<String> {
    /// The texts in one line.
    var listed: String { joined(separator: ", ") }
}
