// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

/// What the last repair of an outbox has carried over, by the numbers of the order.
///
/// A process that was suspended during another one's repair misses two kinds of items: those the damage
/// cost, and those the other one has sent or taken back since. Only the first have to be written again.
struct RepairRecord {
    let path: String

    /// Behind the numbers: what ends otherwise was not written to its end.
    private static let end = "."

    /// Forgets the last repair; before another one is put in its place.
    func forget() throws(FileError) { try PlainFile.delete(path) }

    /// A record that cannot be written costs nothing but a message that goes out though it was taken back.
    func note(_ items: [OutboxItem]) {
        let lines = items.map { String($0.sequence) } + [Self.end]
        guard let file = try? PlainFile(writing: path) else { return }
        try? file.write(Array(lines.joined(separator: "\n").utf8))
        try? file.sync()
    }

    /// The numbers; none where it is not known.
    func carriedOver() -> Set<Int64> {
        guard let file = try? PlainFile(reading: path), let count = try? file.count(),
            let bytes = try? file.read(Int(count))
        else { return [] }
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.popLast() == Self.end[...] else { return [] }
        return Set(lines.compactMap { Int64($0) })
    }
}
