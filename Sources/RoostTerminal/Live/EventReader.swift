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
        /// A key that the terminal's description lacks.
        case sequence(ControlSequence)
    }

    /// A character, or the code of a key.
    private struct Unit {
        let isCode: Bool
        let value: UInt32
    }

    /// A unit that was read and belongs to the next event, such as the end of a paste behind an
    /// escape.
    private var unused: Unit?

    /// Reads the next event without waiting; nil once there is none.
    mutating func next() -> Event? {
        // Keys without a meaning are skipped; each of them was read.
        while let unit = read() {
            if unit.isCode {
                if let event = event(code: Int32(bitPattern: unit.value)) { return event }
                continue
            }
            guard let scalar = Unicode.Scalar(unit.value) else { continue }
            if scalar == "\u{1B}" {
                if let event = eventBehindEscape() { return event }
            } else if let key = KeyTable.key(character: scalar) {
                return .key(key)
            }
        }
        return nil
    }

    private mutating func eventBehindEscape() -> Event? {
        guard let unit = read() else { return .key(.escape) }
        guard !unit.isCode, let scalar = Unicode.Scalar(unit.value) else {
            unused = unit
            return .key(.escape)
        }
        if scalar == "[", let sequence = readSequence() { return .sequence(sequence) }
        return KeyTable.alt(scalar).map { .key($0) }
    }

    /// Reads a control sequence as far as it has come; nil if nothing of one follows its start.
    private mutating func readSequence() -> ControlSequence? {
        var sequence = ControlSequence()
        while !sequence.isWhole, let unit = read() {
            guard !unit.isCode, let scalar = Unicode.Scalar(unit.value), sequence.take(scalar)
            else {
                unused = unit
                break
            }
        }
        return sequence.text.isEmpty ? nil : sequence
    }

    private mutating func read() -> Unit? {
        if let unit = unused.take() { return unit }
        var value: UInt32 = 0
        // SAFETY: the number is valid during the call.
        let kind = unsafe roost_nc_key(&value)
        return kind == 0 ? nil : Unit(isCode: kind == 2, value: value)
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
