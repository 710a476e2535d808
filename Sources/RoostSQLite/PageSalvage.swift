// SPDX-License-Identifier: Apache-2.0

// SQLite finds a row by walking from the first page down, so one bad page hides all below it. This
// type reads every leaf by itself, by the file format (sqlite.org/fileformat2.html).
//
// A freed page still looks like a leaf, so it needs a database that erases deleted content.

/// A value in a record.
package enum SalvagedValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// The rows that can be read from the pages of a damaged database, each page by itself.
///
/// - Complexity: Keeps the whole file in memory.
package struct PageSalvage: Sendable {
    /// Rows of tables with their row IDs, in the order in which the pages lie.
    package private(set) var rows: [(id: Int64, values: [SalvagedValue])] = []
    /// Entries of indexes, which name rows that may be unreadable, with the numbers of their pages.
    package private(set) var entries: [(page: Int, values: [SalvagedValue])] = []
    /// Pages of trees whose cells could all be read, with the child pages of each.
    private var children: [Int: [Int]] = [:]

    private let pages: [Int: ArraySlice<UInt8>]
    private let size: Int

    /// Reads a database and its log while no connection is open.
    package init(_ files: DatabaseFiles) throws(FileError) {
        let main = try files.content()
        let declared = main.count > 17 ? Int(main[16]) << 8 | Int(main[17]) : 0
        size = [512, 1_024, 2_048, 8_192, 16_384, 32_768].contains(declared) ? declared : 4_096
        var pages: [Int: ArraySlice<UInt8>] = [:]
        for (index, start) in stride(from: 0, to: main.count, by: size).enumerated()
        where start + size <= main.count {
            pages[index + 1] = main[start..<(start + size)]
        }
        pages.merge(WALContent(try files.logContent(), pageSize: size).pages) { $1 }
        self.pages = pages
        for number in pages.keys.sorted() { read(number) }
    }

    /// Whether every page of a tree was read, so that no row or entry of it is missing.
    package func isWhole(root: Int) -> Bool {
        var seen: Set<Int> = []
        var open = [root]
        while let number = open.popLast() {
            // A page that occurs twice is damage.
            guard let below = children[number], seen.insert(number).inserted else { return false }
            open += below
        }
        return true
    }

    /// Returns the pages of a tree, without those below a page that cannot be read.
    package func pagesOfTree(root: Int) -> Set<Int> {
        var seen: Set<Int> = []
        var open = [root]
        while let number = open.popLast() {
            if seen.insert(number).inserted { open += children[number] ?? [] }
        }
        return seen
    }

    private mutating func read(_ number: Int) {
        guard let page = pages[number] else { return }
        let start = page.startIndex
        let header = start + (number == 1 ? 100 : 0)
        let kind = page[header]
        guard [0x0D, 0x0A, 0x02, 0x05].contains(kind) else { return }
        let count = Int(page[header + 3]) << 8 | Int(page[header + 4])
        let isLeaf = kind >= 0x0A
        let pointers = header + (isLeaf ? 8 : 12)
        guard pointers + 2 * count <= page.endIndex else { return }
        var below: [Int] = []
        var readCount = 0
        for index in 0..<count {
            let pointer = pointers + 2 * index
            var cursor = start + (Int(page[pointer]) << 8 | Int(page[pointer + 1]))
            if !isLeaf {
                guard let child = page.number(at: cursor) else { continue }
                below.append(child)
                cursor += 4
            }
            if kind == 0x05 || read(kind, of: number, in: page, at: cursor) { readCount += 1 }
        }
        guard readCount == count else { return }
        if !isLeaf {
            guard let last = page.number(at: header + 8) else { return }
            below.append(last)
        }
        children[number] = below
    }

    /// Reads the row or the entry of a cell; returns false for an invalid one.
    private mutating func read(
        _ kind: UInt8, of number: Int, in page: ArraySlice<UInt8>, at place: Int
    ) -> Bool {
        var cursor = place
        guard let length = page.varint(at: &cursor) else { return false }
        if kind == 0x0D {
            guard let id = page.varint(at: &cursor),
                let values = record(length, in: page, at: cursor, largest: size - 35)
            else { return false }
            rows.append((id, values))
        } else {
            guard
                let values = record(
                    length, in: page, at: cursor, largest: (size - 12) * 64 / 255 - 23)
            else { return false }
            entries.append((number, values))
        }
        return true
    }

    /// Returns a record with its overflow pages; nil for an invalid one.
    private func record(
        _ length: Int64, in page: ArraySlice<UInt8>, at start: Int, largest: Int
    ) -> [SalvagedValue]? {
        guard length > 0, length <= Int64(pages.count * size) else { return nil }
        let length = Int(length)
        var local = length
        if length > largest {
            let least = (size - 12) * 32 / 255 - 23
            let fitting = least + (length - least) % (size - 4)
            local = fitting <= largest ? fitting : least
        }
        guard start + local <= page.endIndex else { return nil }
        var bytes = Array(page[start..<(start + local)])
        if local < length {
            guard var next = page.number(at: start + local) else { return nil }
            while bytes.count < length {
                guard let overflow = pages[next],
                    let following = overflow.number(
                        at: overflow.startIndex)
                else { return nil }
                bytes += overflow.dropFirst(4).prefix(length - bytes.count)
                next = following
            }
        }
        return Self.values(bytes)
    }

    private static func values(_ record: [UInt8]) -> [SalvagedValue]? {
        let record = record[...]
        var cursor = 0
        guard let end = record.varint(at: &cursor), end <= record.count else { return nil }
        var body = Int(end)
        var values: [SalvagedValue] = []
        while cursor < end {
            guard let type = record.varint(at: &cursor), cursor <= end,
                let value = value(type, in: record, at: &body)
            else { return nil }
            values.append(value)
        }
        return values
    }

    private static func value(
        _ type: Int64, in record: ArraySlice<UInt8>, at body: inout Int
    ) -> SalvagedValue? {
        let length: Int
        switch type {
        case 0, 8, 9: length = 0
        case 1...4: length = Int(type)
        case 5: length = 6
        case 6, 7: length = 8
        case 12...: length = Int(clamping: (type - 12) / 2)
        default: return nil
        }
        guard length <= record.count - body else { return nil }
        let bytes = record[body..<(body + length)]
        body += length
        switch type {
        case 0: return .null
        case 1...6: return .integer(bytes.signed)
        case 7: return .real(Double(bitPattern: UInt64(bitPattern: bytes.signed)))
        case 8: return .integer(0)
        case 9: return .integer(1)
        default:
            if type % 2 == 0 { return .blob(Array(bytes)) }
            return String(validating: bytes, as: UTF8.self).map { .text($0) }
        }
    }
}

/// The pages of a write-ahead log up to its last complete transaction.
private struct WALContent {
    private(set) var pages: [Int: ArraySlice<UInt8>] = [:]

    init(_ log: [UInt8], pageSize: Int) {
        let log = log[...]
        guard log.count >= 32, let magic = log.number(at: 0), magic | 1 == 0x377F_0683 else {
            return
        }
        let isBigEndian = magic & 1 == 1
        var sum: (UInt32, UInt32) = (0, 0)
        Self.add(log[0..<24], to: &sum, isBigEndian)
        guard log.number(at: 24) == Int(sum.0), log.number(at: 28) == Int(sum.1) else { return }
        var begun: [Int: ArraySlice<UInt8>] = [:]
        for start in stride(from: 32, to: log.count, by: 24 + pageSize) {
            let content = start + 24
            guard content + pageSize <= log.count, let number = log.number(at: start),
                log[(start + 8)..<(start + 16)].elementsEqual(log[16..<24])
            else { return }
            Self.add(log[start..<(start + 8)], to: &sum, isBigEndian)
            Self.add(log[content..<(content + pageSize)], to: &sum, isBigEndian)
            guard log.number(at: start + 16) == Int(sum.0), log.number(at: start + 20) == Int(sum.1)
            else { return }
            begun[number] = log[content..<(content + pageSize)]
            if log.number(at: start + 4) != 0 {
                pages.merge(begun) { $1 }
                begun = [:]
            }
        }
    }

    private static func add(
        _ bytes: ArraySlice<UInt8>, to sum: inout (UInt32, UInt32), _ isBigEndian: Bool
    ) {
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
            let first = UInt32(truncatingIfNeeded: bytes.number(at: start) ?? 0)
            let second = UInt32(truncatingIfNeeded: bytes.number(at: start + 4) ?? 0)
            sum.0 = sum.0 &+ (isBigEndian ? first : first.byteSwapped) &+ sum.1
            sum.1 = sum.1 &+ (isBigEndian ? second : second.byteSwapped) &+ sum.0
        }
    }
}

extension ArraySlice<UInt8> {
    /// Returns four bytes as a number, the highest first.
    fileprivate func number(at index: Int) -> Int? {
        guard index >= startIndex, index + 4 <= endIndex else { return nil }
        return self[index..<(index + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns a number of one to nine bytes in SQLite's variable-length form.
    fileprivate func varint(at index: inout Int) -> Int64? {
        var value: UInt64 = 0
        for place in 0..<9 {
            guard index >= startIndex, index < endIndex else { return nil }
            let byte = self[index]
            index += 1
            if place == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(value) }
        }
        return nil
    }

    /// All bytes as one signed number, the highest first.
    fileprivate var signed: Int64 {
        let start: Int64 = (first ?? 0) >= 0x80 ? -1 : 0
        return reduce(start) { $0 << 8 | Int64($1) }
    }
}
