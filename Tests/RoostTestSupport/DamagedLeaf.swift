// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The destruction of a leaf in a table's tree in a database file.
///
/// It takes the first inner page of a table: an outbox has one table of many pages.
package enum DamagedLeaf {
    private static let size = 4_096

    /// Overwrites leaves of the tree so that SQLite refuses them as pages.
    ///
    /// - Parameters:
    ///   - places: The indices of the leaves, in the order of their rows.
    ///   - path: The file.
    /// - Returns: The IDs of the lost rows, each below 128.
    /// - Throws: An error if the file cannot be read or written, or has no such tree.
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

    /// Overwrites the leaf with a text so that SQLite refuses it as a page.
    ///
    /// - Parameters:
    ///   - text: A text that occurs once in the file, in a row that fits into a leaf.
    ///   - path: The file.
    /// - Throws: An error if the file cannot be read or written, or does not have the text.
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
