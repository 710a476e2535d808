// SPDX-License-Identifier: Apache-2.0

/// A control sequence behind its start, `ESC [`, by which a terminal names a key.
///
/// The library of the terminal knows those of the terminal's description. The characters of any
/// other are no text of the user, such as `13;2u` for Shift-Enter.
public struct ControlSequence: Hashable, Sendable {
    /// The most characters; those of keys have fewer.
    static let maxLength = 32

    /// The characters behind the start.
    public private(set) var text = ""
    /// Whether the last character has come.
    public private(set) var isWhole = false

    public init() {}

    /// Takes the next character; returns false for one that belongs to no sequence.
    public mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard !isWhole, text.utf8.count < Self.maxLength else { return false }
        switch scalar.value {
        case 0x20...0x3F: break
        case 0x40...0x7E: isWhole = true
        default: return false
        }
        text.unicodeScalars.append(scalar)
        return true
    }

    /// The key, as far as it has a meaning here.
    public var key: Key? {
        switch text {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H", "1~", "7~": .home
        case "F", "4~", "8~": .end
        case "Z": .backTab
        case "3~": .delete
        case "5~": .pageUp
        case "6~": .pageDown
        // Enter with Shift or Ctrl.
        case "13;2u", "13;5u", "27;2;13~", "27;5;13~": .newLine
        default: nil
        }
    }
}
