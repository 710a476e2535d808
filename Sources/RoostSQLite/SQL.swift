// SPDX-License-Identifier: Apache-2.0

/// SQL that the programmer wrote, character by character.
///
/// It can only be made from a literal without interpolation, so no name, text or number from outside
/// can become part of a statement: those are bound (scar 38).
@safe package struct SQL: ExpressibleByStringLiteral, Sendable, CustomStringConvertible {
    private let literal: StaticString

    package init(stringLiteral literal: StaticString) {
        precondition(
            literal.hasPointerRepresentation, "A statement is longer than a single character.")
        self.literal = literal
    }

    package var description: String { literal.description }

    /// Tells statements apart without reading them: where the literal lies in the program.
    var address: UInt {
        // SAFETY: the pointer is only compared, never followed.
        unsafe UInt(bitPattern: literal.utf8Start)
    }

    /// Lends the statement's bytes; a literal lives as long as the program.
    func withUTF8<T>(_ body: (UnsafePointer<CChar>, _ count: Int32) -> T) -> T {
        let count = Int32(literal.utf8CodeUnitCount)
        // SAFETY: bytes of a literal, as long as it says; CChar and UInt8 have one layout.
        return unsafe literal.utf8Start.withMemoryRebound(to: CChar.self, capacity: Int(count)) {
            unsafe body($0, count)
        }
    }
}
