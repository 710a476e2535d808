// SPDX-License-Identifier: Apache-2.0

/// A text that is being typed, with a cursor between two characters.
public struct Composer: Hashable, Sendable {
    /// The text before the cursor.
    public private(set) var before = ""
    /// The text behind the cursor.
    public private(set) var after = ""

    /// The most bytes of UTF-8 after a paste; a server takes no longer message.
    static let maxBytes = 65_536

    public init(_ text: String = "") { before = text }

    public var text: String { before + after }
    public var isEmpty: Bool { before.isEmpty && after.isEmpty }

    mutating func insert(_ scalar: Unicode.Scalar) { before.unicodeScalars.append(scalar) }

    /// Inserts a text as far as there is room, up to a whole character.
    ///
    /// - Returns: Whether all of it was inserted.
    mutating func paste(_ text: String) -> Bool {
        var room = max(Self.maxBytes - before.utf8.count - after.utf8.count, 0)
        guard text.utf8.count > room else {
            before += text
            return true
        }
        before += text.prefix { character in
            room -= character.utf8.count
            return room >= 0
        }
        return false
    }

    /// Puts a text on lines of its own in front, unless the text begins with it already.
    mutating func putInFront(_ text: String) {
        guard !self.text.hasPrefix(text) else { return }
        before = isEmpty ? text : text + "\n" + before
    }

    /// Applies a key; returns false for a key without a meaning here.
    mutating func apply(_ key: Key) -> Bool {
        switch key {
        case .character(let scalar): insert(scalar)
        case .newLine: before.append("\n")
        case .backspace: _ = before.popLast()
        case .delete: if !after.isEmpty { after.removeFirst() }
        case .left: if let last = before.popLast() { after.insert(last, at: after.startIndex) }
        case .right: if !after.isEmpty { before.append(after.removeFirst()) }
        case .wordLeft: moveWordLeft()
        case .wordRight: moveWordRight()
        case .home, .control("a"): moveToLineStart()
        case .end, .control("e"): moveToLineEnd()
        case .up: return moveUp()
        case .down: return moveDown()
        case .control("w"):
            let end = after
            moveWordLeft()
            after = end
        case .control("k"): after = String(after[(after.firstIndex(of: "\n") ?? after.endIndex)...])
        default: return false
        }
        return true
    }

    private mutating func moveWordLeft() {
        while let last = before.last, !Self.isInWord(last) { _ = apply(.left) }
        while let last = before.last, Self.isInWord(last) { _ = apply(.left) }
    }

    private mutating func moveWordRight() {
        while let first = after.first, !Self.isInWord(first) { _ = apply(.right) }
        while let first = after.first, Self.isInWord(first) { _ = apply(.right) }
    }

    private static func isInWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber
    }

    /// The number of characters between the start of the line and the cursor.
    private var column: Int {
        before.distance(
            from: before.lastIndex(of: "\n").map { before.index(after: $0) } ?? before.startIndex,
            to: before.endIndex)
    }

    private mutating func moveToLineStart() {
        let start = before.lastIndex(of: "\n").map { before.index(after: $0) } ?? before.startIndex
        after = before[start...] + after
        before = String(before[..<start])
    }

    private mutating func moveToLineEnd() {
        let end = after.firstIndex(of: "\n") ?? after.endIndex
        before += after[..<end]
        after = String(after[end...])
    }

    private mutating func moveUp() -> Bool {
        guard before.contains("\n") else { return false }
        let column = column
        moveToLineStart()
        _ = apply(.left)
        let length = self.column
        for _ in 0..<max(length - column, 0) { _ = apply(.left) }
        return true
    }

    private mutating func moveDown() -> Bool {
        guard after.contains("\n") else { return false }
        let column = column
        moveToLineEnd()
        _ = apply(.right)
        let rest = after.firstIndex(of: "\n") ?? after.endIndex
        let length = after.distance(from: after.startIndex, to: rest)
        for _ in 0..<min(column, length) { _ = apply(.right) }
        return true
    }
}

/// A composer's text as lines of a width, with the place of the cursor in them.
struct ComposerLines {
    private(set) var lines: [[TextUnit]] = [[]]
    private(set) var cursor = Grid.Place(row: 0, column: 0)

    init(_ composer: Composer, columns: Int) {
        let columns = max(columns, 2)
        append(SafeText.paragraphs(composer.before), columns)
        if (lines.last?.columns ?? 0) >= columns { lines.append([]) }
        cursor = Grid.Place(row: lines.count - 1, column: lines.last?.columns ?? 0)
        append(SafeText.paragraphs(composer.after), columns)
    }

    private mutating func append(_ paragraphs: [[TextUnit]], _ columns: Int) {
        for (index, paragraph) in paragraphs.enumerated() {
            if index > 0 { lines.append([]) }
            for unit in paragraph {
                if lines[lines.count - 1].columns + unit.columns > columns { lines.append([]) }
                lines[lines.count - 1].append(unit)
            }
        }
    }
}
