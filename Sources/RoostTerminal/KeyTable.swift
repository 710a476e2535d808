// SPDX-License-Identifier: Apache-2.0

import CRoostNcurses
import RoostChat

/// The keys of ncurses.
enum KeyTable {
    /// Returns the key of a character.
    static func key(character scalar: Unicode.Scalar) -> Key? {
        switch scalar.value {
        case 0x0D: .enter
        case 0x0A: .newLine
        case 0x09: .tab
        case 0x1B: .escape
        case 0x08, 0x7F: .backspace
        case 1...26: Unicode.Scalar(scalar.value + 96).map { .control($0) }
        case 0..<32, 0x80..<0xA0: nil
        default: .character(scalar)
        }
    }

    /// Returns the key behind an escape, as terminals send Alt.
    static func alt(_ scalar: Unicode.Scalar) -> Key? {
        switch scalar.value {
        case 0x0D, 0x0A: .newLine
        case 0x62: .wordLeft
        case 0x66: .wordRight
        case 0x7F, 0x08: .control("w")
        default: .alt(scalar)
        }
    }

    /// Returns the key of a code; nil for the mouse, a paste, a new size and keys without a meaning.
    static func key(code: Int32) -> Key? {
        switch code {
        case KEY_ENTER: .enter
        case KEY_BACKSPACE: .backspace
        case KEY_DC: .delete
        case KEY_LEFT: .left
        case KEY_RIGHT: .right
        case KEY_UP: .up
        case KEY_DOWN: .down
        case KEY_HOME: .home
        case KEY_END: .end
        case KEY_PPAGE: .pageUp
        case KEY_NPAGE: .pageDown
        case KEY_BTAB: .backTab
        case KEY_F0 + 1...KEY_F0 + 12: .function(Int(code - KEY_F0))
        case Int32(ROOST_KEY_WORD_LEFT): .wordLeft
        case Int32(ROOST_KEY_WORD_RIGHT): .wordRight
        default: nil
        }
    }
}
