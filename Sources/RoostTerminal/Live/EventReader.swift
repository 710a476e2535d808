// SPDX-License-Identifier: Apache-2.0

import CRoostNcurses
import RoostChat

/// Reads the keys, pastes and mouse of the terminal; for the terminal's thread.
struct EventReader {
    /// One thing that the terminal has sent.
    enum Event {
        case key(Key)
        case mouse(MouseAction)
        case pasteStart
        case pasteEnd
    }

    /// A code that came behind an escape and is an event of its own, such as the end of a paste.
    private var unused: Int32?

    /// Reads the next event without waiting; nil once there is none.
    mutating func next() -> Event? {
        if let code = unused.take(), let event = event(code: code) { return event }
        var code: UInt32 = 0
        // Keys without a meaning are skipped; each of them was read.
        while true {
            // SAFETY: the number is valid during the call, here and below.
            let kind = unsafe roost_nc_key(&code)
            if kind == 0 { return nil }
            if kind == 2 {
                if let event = event(code: Int32(bitPattern: code)) { return event }
                continue
            }
            guard let scalar = Unicode.Scalar(code) else { continue }
            guard scalar == "\u{1B}" else {
                if let key = KeyTable.key(character: scalar) { return .key(key) }
                continue
            }
            var next: UInt32 = 0
            let nextKind = unsafe roost_nc_key(&next)
            if nextKind == 2 { unused = Int32(bitPattern: next) }
            guard nextKind == 1, let second = Unicode.Scalar(next) else { return .key(.escape) }
            if let key = KeyTable.alt(second) { return .key(key) }
        }
    }

    private func event(code: Int32) -> Event? {
        switch code {
        case KEY_MOUSE: readMouse().map { .mouse($0) }
        case Int32(ROOST_KEY_PASTE_START): .pasteStart
        case Int32(ROOST_KEY_PASTE_END): .pasteEnd
        default: KeyTable.key(code: code).map { .key($0) }
        }
    }

    private func readMouse() -> MouseAction? {
        var (row, column): (Int32, Int32) = (0, 0)
        // SAFETY: both numbers are valid during the call.
        let kind = unsafe roost_nc_mouse(&row, &column)
        let kinds: [Int32: MouseAction.Kind] = [1: .press, 2: .wheelUp, 3: .wheelDown]
        return kinds[kind].map { MouseAction($0, row: Int(row), column: Int(column)) }
    }
}
