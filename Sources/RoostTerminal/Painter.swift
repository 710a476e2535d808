// SPDX-License-Identifier: Apache-2.0

import CRoostNcurses
import RoostChat

/// The pen of one terminal: writes the difference of two grids.
struct Painter {
    private var drawn: Grid?
    private let hasColor: Bool

    init(usesColor: Bool) {
        let colors = usesColor ? roost_nc_start_colors() : 0
        hasColor = colors >= 8
        guard hasColor else { return }
        for color in CellColor.allCases where color != .plain && color != .quiet {
            let number = colors >= 256 ? Self.rich(color) : Self.basic(color)
            init_pair(Int16(color.rawValue), number, -1)
        }
    }

    private static func basic(_ color: CellColor) -> Int16 {
        switch color {
        case .plain, .quiet: -1
        case .good, .name4: 2
        case .bad, .name2: 1
        case .waiting, .name5: 3
        case .accent, .name1: 6
        case .name3: 5
        case .name6: 4
        }
    }

    private static func rich(_ color: CellColor) -> Int16 {
        switch color {
        case .plain, .quiet: -1
        case .good: 77
        case .bad: 203
        case .waiting: 221
        case .accent: 80
        case .name1: 75
        case .name2: 209
        case .name3: 176
        case .name4: 114
        case .name5: 180
        case .name6: 141
        }
    }

    /// Forgets the contents of the screen, so that all of it is drawn again.
    mutating func forget() {
        drawn = nil
        roost_nc_forget()
    }

    mutating func paint(_ grid: Grid) {
        let runs = grid.runs(since: drawn)
        let rows = Set(runs.map(\.row))
        if let drawn, drawn.size == grid.size {
            overlay(drawn, rows) { String(repeating: " ", count: $0.columns) }
        }
        for run in runs {
            var column = run.column
            for cell in run.cells where cell.columns > 0 {
                put(cell, run.row, column)
                column += cell.columns
            }
        }
        if let cursor = grid.cursor {
            curs_set(1)
            move(Int32(clamping: cursor.row), Int32(clamping: cursor.column))
        } else {
            curs_set(0)
        }
        roost_nc_flush()
        overlay(grid, rows) { isKnown($0) ? $0.text : "?" }
        drawn = grid
    }

    /// Writes texts in place of joined letters, each at its own place of the screen.
    ///
    /// For ncurses these cells are blank: it counts a column for each letter, and some terminals use
    /// fewer, so the rest of a line that ncurses wrote would stand in the wrong columns.
    private func overlay(_ grid: Grid, _ rows: Set<Int>, _ text: (Cell) -> String) {
        var isEmpty = true
        for row in rows {
            for column in 0..<grid.size.columns where grid[row, column].isJoined {
                let cell = grid[row, column]
                // SAFETY: the text is lent for the call.
                unsafe roost_nc_overlay(
                    Int32(clamping: row), Int32(clamping: column), text(cell),
                    attributes(cell.style), pair(cell.style))
                isEmpty = false
            }
        }
        if !isEmpty { roost_nc_end_overlay() }
    }

    /// Whether the system's table gives each joined letter one column.
    private func isKnown(_ cell: Cell) -> Bool {
        let columns = cell.text.unicodeScalars.map { Int(roost_nc_columns($0.value)) }
        return columns.allSatisfy { $0 >= 0 } && columns.reduce(0, +) == cell.columns
    }

    private func attributes(_ style: CellStyle) -> UInt32 {
        roost_nc_attributes(
            style.isBold ? 1 : 0, style.color == .quiet ? 1 : 0, style.isReversed ? 1 : 0,
            style.isUnderlined ? 1 : 0)
    }

    private func pair(_ style: CellStyle) -> Int16 {
        hasColor && style.color != .quiet ? Int16(style.color.rawValue) : 0
    }

    private func put(_ cell: Cell, _ row: Int, _ column: Int) {
        if cell.isJoined {
            for place in 0..<cell.columns { put([0x20], .plain, row, column + place) }
            return
        }
        var scalars = cell.text.unicodeScalars.map(\.value)
        let first = scalars.first ?? 0x20
        // The system's table decides where ncurses puts the next character.
        if first >= 0x300, Int(roost_nc_columns(first)) != cell.columns {
            scalars = [cell.columns == 2 ? 0x3013 : 0xFFFD]
        }
        put(scalars, cell.style, row, column)
    }

    private func put(_ scalars: [UInt32], _ style: CellStyle, _ row: Int, _ column: Int) {
        // SAFETY: the array is lent for the call, with its own count.
        unsafe roost_nc_put(
            Int32(clamping: row), Int32(clamping: column), scalars, Int32(clamping: scalars.count),
            attributes(style), pair(style))
    }
}
