// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostSQLite

/// The record of the outbox's last repair, as the sequence numbers of the saved items.
///
/// A process that was suspended during another one's repair misses two kinds of items: items lost
/// to the damage, and items that the other process has sent or deleted since. Only the first kind
/// has to be written again.
struct RepairRecord {
    let path: String

    /// The end mark; a record without it is incomplete.
    private static let end = "."

    /// Deletes the record, before another repair replaces the outbox.
    func forget() throws(FileError) { try PlainFile.delete(path) }

    /// The word before the number of lost items and the path of the damaged file.
    private static let lost = "lost"

    /// Writes the result of a repair.
    ///
    /// Without the record, a canceled message may be sent, and the number of lost items is unknown
    /// later.
    func note(_ items: [OutboxItem], lost: Int?, quarantine: String) {
        let loss = "\(Self.lost) \(lost.map { "\($0)" } ?? "?") \(quarantine.nameOfFile)"
        let lines = items.map { String($0.sequence) } + [loss, Self.end]
        guard let file = try? PlainFile(writing: path) else { return }
        try? file.write(Array(lines.joined(separator: "\n").utf8))
        try? file.sync()
    }

    /// Returns the numbers of the saved items; empty if unknown.
    func savedItems() -> Set<Int64> { Set(lines().compactMap { Int64($0) }) }

    /// Returns the number of items lost in the repair that quarantined a file; nil if unknown.
    func lostCount(of quarantine: String) -> Int? {
        for line in lines() {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3, words[0] == Self.lost, words[2] == quarantine.nameOfFile
            else { continue }
            return Int(words[1])
        }
        return nil
    }

    /// Whether items may be lost that another process will write again, while the damaged file exists.
    func mayMissItems(_ quarantined: [String]) -> Bool {
        let names = Set(quarantined.map(\.nameOfFile))
        return lines().contains { line in
            let words = line.split(separator: " ", maxSplits: 2)
            return words.count == 3 && words[0] == Self.lost && words[1] != "0"
                && names.contains(words[2])
        }
    }

    private func lines() -> [Substring] {
        guard let file = try? PlainFile(reading: path), let count = try? file.count(),
            let bytes = try? file.read(Int(count))
        else { return [] }
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.popLast() == Self.end[...] else { return [] }
        return lines
    }
}

extension String {
    fileprivate var nameOfFile: Substring { self[...].split(separator: "/").last ?? "" }
}
