// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A leaf of a table's tree in a database file, to be destroyed in place.
///
/// The first inner page of a table is looked for: an outbox has one table of many pages.
package enum DamagedLeaf {
    private static let size = 4_096

    /// Makes leaves of the tree ones that SQLite takes for no page.
    ///
    /// - Parameters:
    ///   - places: Which of the leaves, in the order of their rows.
    ///   - path: The file.
    /// - Returns: The IDs of the rows that are lost, each below 128.
    /// - Throws: When the file cannot be read or written, or holds no such tree.
    package static func destroy(_ places: Int..., in path: String) throws -> [Int] {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let data = [UInt8](try file.readToEnd() ?? Data())
        func number(_ offset: Int, _ count: Int) -> Int {
            data[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
        }
        guard
            let root = stride(from: size, to: data.count, by: size).first(where: { data[$0] == 5 })
        else { throw CocoaError(.fileReadCorruptFile) }
        var lost: [Int] = []
        for place in places {
            let cell = root + number(root + 12 + 2 * place, 2)
            let leaf = (number(cell, 4) - 1) * size
            for row in 0..<number(leaf + 3, 2) {
                var cursor = leaf + number(leaf + 8 + 2 * row, 2)
                while data[cursor] >= 128 { cursor += 1 }
                lost.append(Int(data[cursor + 1]))
            }
            try file.seek(toOffset: UInt64(leaf))
            try file.write(contentsOf: Data([0]))
        }
        return lost
    }

    /// Makes the leaf that holds a text one that SQLite takes for no page.
    ///
    /// - Parameters:
    ///   - text: What stands nowhere else in the file, and in no row too long for a leaf.
    ///   - path: The file.
    /// - Throws: When the file cannot be read or written, or does not hold the text.
    package static func destroy(holding text: String, in path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let data = try file.readToEnd() ?? Data()
        guard let place = data.firstRange(of: Data(text.utf8)) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        try file.seek(toOffset: UInt64(place.lowerBound / size * size))
        try file.write(contentsOf: Data([0]))
    }
}
