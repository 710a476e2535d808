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
        for run in grid.runs(since: drawn) {
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
        drawn = grid
    }

    private func put(_ cell: Cell, _ row: Int, _ column: Int) {
        var scalars = cell.text.unicodeScalars.map(\.value)
        let first = scalars.first ?? 0x20
        // The system's table decides where ncurses puts the next character.
        if first >= 0x300, Int(roost_nc_columns(first)) != cell.columns {
            scalars = [cell.columns == 2 ? 0x3013 : 0xFFFD]
        }
        let isDim = cell.style.color == .quiet
        let attributes = roost_nc_attributes(
            cell.style.isBold ? 1 : 0, isDim ? 1 : 0, cell.style.isReversed ? 1 : 0,
            cell.style.isUnderlined ? 1 : 0)
        let pair = hasColor && !isDim ? Int16(cell.style.color.rawValue) : 0
        // SAFETY: the array is lent for the call, with its own count.
        unsafe roost_nc_put(
            Int32(clamping: row), Int32(clamping: column), scalars, Int32(clamping: scalars.count),
            attributes, pair)
    }
}
