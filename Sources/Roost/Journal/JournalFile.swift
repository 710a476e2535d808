// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import RoostCore
internal import RoostModel

/// A sync journal as text: a line of JSON with the starting state, then a line for each step.
package struct JournalFile: Hashable, Sendable {
    /// The version of the format; the only one so far.
    private static let version = 1

    private struct Head: Codable {
        let roostJournal: Int
        /// The number of steps before the first line.
        let dropped: Int
        let base: SyncReplay
    }

    package let droppedCount: Int
    /// The state before the first entry.
    package let base: SyncReplay
    package let entries: [SyncEntry]

    package init(_ record: SyncRecord) {
        droppedCount = record.droppedCount
        base = record.base
        entries = record.entries
    }

    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = Head(roostJournal: Self.version, dropped: droppedCount, base: base)
        let lines = [try? encoder.encode(head)] + entries.map { try? encoder.encode($0) }
        return lines.compactMap(\.self).map { String(decoding: $0, as: UTF8.self) + "\n" }
            .joined()
    }

    /// Decodes a journal.
    ///
    /// - Throws: `.malformedData` with the number of the first invalid line.
    package init(reading text: String) throws(RoostError) {
        var lines = text.split(separator: "\n")[...]
        guard let first = lines.popFirst() else { throw Self.unreadable(line: 1) }
        let head: Head = try Self.decode(first, line: 1)
        guard head.roostJournal == Self.version else {
            throw RoostError(
                .malformedData, remedy: .correctInput,
                message: "This journal was written by another release of Roost; read it with that.")
        }
        var entries: [SyncEntry] = []
        for (index, line) in lines.enumerated() {
            entries.append(try Self.decode(line, line: index + 2))
        }
        self.entries = entries
        droppedCount = head.dropped
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
            message: "Line \(line) is not a line of a sync journal. Was the file cut or edited?")
    }
}

extension JournalFile {
    /// Replays the recorded run up to a step.
    ///
    /// - Parameter last: The number of the last step; nil replays all.
    /// - Returns: The final state, and the steps whose decision differs from the record: none,
    ///   unless the journal is of another release or was edited.
    package func replay(until last: Int? = nil) -> (state: SyncReplay, differing: [SyncEntry]) {
        var state = base
        var differing: [SyncEntry] = []
        for entry in entries {
            if let last, entry.number > last { break }
            if state.take(entry.step) != entry.outcome { differing.append(entry) }
        }
        return (state, differing)
    }
}
