// SPDX-License-Identifier: Apache-2.0

/// The height and width of a screen, in cells.
public struct GridSize: Hashable, Sendable {
    public var rows: Int
    public var columns: Int

    /// Creates a size; negative numbers count as 0, and numbers above 1,000 as 1,000.
    public init(rows: Int, columns: Int) {
        self.rows = min(max(rows, 0), 1_000)
        self.columns = min(max(columns, 0), 1_000)
    }
}

/// The meaning of a text, which decides its colour.
public enum CellColor: UInt8, CaseIterable, Hashable, Sendable {
    /// The terminal's own colour.
    case plain
    /// A detail that the reader may skip.
    case quiet
    /// A success, or a user who is online.
    case good
    /// A failure.
    case bad
    /// Work that is not done yet.
    case waiting
    /// The place of the reader: the open channel, the selected message.
    case accent
    /// The names of people; each has one of six.
    case name1, name2, name3, name4, name5, name6
}

/// The look of a cell.
public struct CellStyle: Hashable, Sendable {
    public var color: CellColor
    public var isBold: Bool
    public var isReversed: Bool
    public var isUnderlined: Bool

    public init(
        _ color: CellColor = .plain, bold: Bool = false, reversed: Bool = false,
        underlined: Bool = false
    ) {
        self.color = color
        isBold = bold
        isReversed = reversed
        isUnderlined = underlined
    }

    public static let plain = CellStyle()
    static let quiet = CellStyle(.quiet)
}

/// One cell of a screen.
public struct Cell: Hashable, Sendable {
    /// The character with its marks, or letters with joiners; empty in all of its cells but the first.
    public var text: String
    public var style: CellStyle
    /// The columns of the character in its first cell; 0 in the others.
    public var columns: Int
    /// Whether the text is letters with joiners, which terminals draw in as many columns or fewer.
    public var isJoined: Bool {
        columns > 1 && text.unicodeScalars.contains(UnitAssembly.joiner)
    }

    static let blank = Cell(text: " ", style: .plain, columns: 1)
}

/// The contents of a screen, and the place of its cursor.
public struct Grid: Hashable, Sendable {
    /// A place in a grid.
    public struct Place: Hashable, Sendable {
        public var row: Int
        public var column: Int
    }

    public let size: GridSize
    /// The cells, row by row.
    public private(set) var cells: [Cell]
    /// The place of the cursor; nil hides it.
    public var cursor: Place?

    public init(_ size: GridSize) {
        self.size = size
        cells = Array(repeating: .blank, count: size.rows * size.columns)
    }

    public subscript(row: Int, column: Int) -> Cell { cells[row * size.columns + column] }

    /// Writes units from a place on, up to an end, and returns the column behind them.
    ///
    /// A part of a wide character is never left over, neither at the end nor of older contents.
    @discardableResult
    mutating func put(
        _ units: [TextUnit], row: Int, column: Int, end: Int, style: CellStyle = .plain
    ) -> Int {
        let end = min(end, size.columns)
        guard row >= 0, row < size.rows, column >= 0, column < end else { return column }
        let start = row * size.columns
        var next = column
        for unit in units {
            guard next + unit.columns <= end else { break }
            let behind = next + unit.columns
            for place in next..<behind { clear(start, place) }
            cells[start + next] = Cell(text: unit.text, style: style, columns: unit.columns)
            for place in (next + 1)..<behind {
                cells[start + place] = Cell(text: "", style: style, columns: 0)
            }
            next = behind
        }
        return next
    }

    /// Writes a text of our own; see `put(_:row:column:end:style:)`.
    @discardableResult
    mutating func put(
        _ text: String, row: Int, column: Int, end: Int, style: CellStyle = .plain
    ) -> Int {
        put(SafeText.line(text), row: row, column: column, end: end, style: style)
    }

    /// Makes a cell blank, with the others of its character.
    private mutating func clear(_ start: Int, _ column: Int) {
        var first = column
        while first > 0, cells[start + first].columns == 0 { first -= 1 }
        let end = min(max(first + cells[start + first].columns, column + 1), size.columns)
        for place in first..<end { cells[start + place] = .blank }
    }

    /// Gives cells of a row a style, and leaves their text.
    mutating func restyle(row: Int, columns: Range<Int>, _ style: CellStyle) {
        guard row >= 0, row < size.rows else { return }
        for column in columns.clamped(to: 0..<size.columns) {
            cells[row * size.columns + column].style = style
        }
    }

    /// The text of the rows without styles and without spaces at their ends.
    public var text: String {
        (0..<size.rows).map { row in
            let line = cells[(row * size.columns)..<((row + 1) * size.columns)].map(\.text).joined()
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}

/// Cells of one row that are to be written.
public struct GridRun: Hashable, Sendable {
    public let row: Int
    public let column: Int
    public let cells: [Cell]
}

extension Grid {
    /// Returns the cells that differ from an older grid of the screen, in runs; all if there is
    /// none of this size.
    public func runs(since old: Grid?) -> [GridRun] {
        let old = old.flatMap { $0.size == size ? $0 : nil }
        var runs: [GridRun] = []
        for row in 0..<size.rows {
            let start = row * size.columns
            var column = 0
            while column < size.columns {
                guard old?.cells[start + column] != cells[start + column] else {
                    column += 1
                    continue
                }
                // A run begins with a whole character.
                var first = column
                while first > 0, cells[start + first].columns == 0 { first -= 1 }
                var end = column + 1
                while end < size.columns,
                    old?.cells[start + end] != cells[start + end] || cells[start + end].columns == 0
                {
                    end += 1
                }
                runs.append(
                    GridRun(
                        row: row, column: first,
                        cells: Array(cells[(start + first)..<(start + end)]))
                )
                column = end
            }
        }
        return runs
    }
}
