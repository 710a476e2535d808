// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import RoostCore
package import RoostModel

/// A recording as text: a line of JSON with the machine before the first input, then a line for
/// each input.
package struct JournalFile: Sendable {
    /// The version of the format; the only one so far.
    private static let version = 1

    private struct Head: Codable {
        let roostJournal: Int
        /// Nil in a journal without inputs.
        let base: SyncMachine?
    }

    /// The part of the head that every release can read.
    private struct Version: Codable { let roostJournal: Int }

    package struct Entry: Codable, Sendable {
        /// The place among all inputs since the client was opened, from 1.
        package let number: Int
        package let at: Timestamp
        package let input: SyncMachine.Input
        /// The effects as `EffectText` writes them.
        package let effects: [PlainText]
    }

    /// The machine before the first entry.
    package let base: SyncMachine?
    package let entries: [Entry]

    /// Decodes a journal.
    ///
    /// - Throws: `.malformedData` with the number of the first invalid line.
    package init(reading text: String) throws(RoostError) {
        var lines = text.split(whereSeparator: \.isNewline)[...]
        guard let first = lines.popFirst() else { throw Self.unreadable(line: 1) }
        let version: Version = try Self.decode(first, line: 1)
        guard version.roostJournal == Self.version else {
            throw RoostError(
                .malformedData, remedy: .correctInput,
                message: "This journal was written by another release of Roost; read it with that.")
        }
        let head: Head = try Self.decode(first, line: 1)
        var entries: [Entry] = []
        for (index, line) in lines.enumerated() {
            entries.append(try Self.decode(line, line: index + 2))
        }
        self.entries = entries
        base = head.base
    }

    private static func decode<Value: Decodable>(
        _ text: Substring, line: Int
    ) throws(RoostError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw unreadable(line: line)
        }
    }

    private static func unreadable(line: Int) -> RoostError {
        RoostError(
            .malformedData, remedy: .correctInput,
            message: "Line \(line) is not a line of a sync journal of this release. Was the file "
                + "cut, edited, or written by another release of Roost?")
    }
}

// MARK: - Writing

extension JournalFile {
    /// Writes a recording, with names in place of its content.
    package static func text(of recording: Recording, _ content: NamedContent) -> String {
        let encoder = NamingEncoder(name: content.name)
        let effects = EffectText(naming: content.name)
        let head = Head(roostJournal: version, base: recording.base)
        let entries = recording.entries.lazy.map { entry in
            try? encoder.encode(
                Entry(
                    number: entry.number, at: entry.at, input: entry.input,
                    effects: entry.effects.map { PlainText(effects.text(of: $0)) }))
        }
        return ([try? encoder.encode(head)] + entries).compactMap(\.self).map { $0 + "\n" }
            .joined()
    }
}

// MARK: - Replaying

extension JournalFile {
    /// An input whose effects are not those of the record.
    package struct Difference: Equatable, Sendable {
        /// The number of the input.
        package let number: Int
        package let recorded: [PlainText]
        package let replayed: [PlainText]
    }

    /// Replays the inputs up to a number.
    ///
    /// - Parameter last: The number of the last input; nil replays all.
    /// - Returns: The final machine, and the inputs with other effects: none, unless the journal is
    ///   of another release or was edited.
    package func replay(until last: Int? = nil) -> (machine: SyncMachine?, [Difference]) {
        guard var machine = base else { return (nil, []) }
        let text = EffectText(naming: NamedContent.nameAgain)
        var differences: [Difference] = []
        for entry in entries {
            if let last, entry.number > last { break }
            let effects = machine.receive(entry.input, at: entry.at).map {
                PlainText(text.text(of: $0))
            }
            guard effects != entry.effects else { continue }
            differences.append(
                Difference(number: entry.number, recorded: entry.effects, replayed: effects))
        }
        return (machine, differences)
    }
}
