// SPDX-License-Identifier: Apache-2.0

/// One key of a keyboard, or a combination.
public enum Key: Hashable, Sendable {
    case character(Unicode.Scalar)
    /// A letter with Ctrl, in lower case.
    case control(Unicode.Scalar)
    /// A letter with Alt, as typed.
    case alt(Unicode.Scalar)
    case enter, newLine
    case tab, backTab
    case escape
    case backspace, delete
    case left, right, up, down
    case wordLeft, wordRight
    case home, end, pageUp, pageDown
    /// F1 and so on.
    case function(Int)
}

/// An action of the mouse, with its place.
public struct MouseAction: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case press
        case wheelUp
        case wheelDown
    }

    public var kind: Kind
    public var row: Int
    public var column: Int

    public init(_ kind: Kind, row: Int, column: Int) {
        self.kind = kind
        self.row = row
        self.column = column
    }
}
