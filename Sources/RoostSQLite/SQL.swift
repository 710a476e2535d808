// SPDX-License-Identifier: Apache-2.0

/// A literal SQL text from the source code.
///
/// It can only be made from literals without interpolation, so no name, text or number from outside
/// can become part of a statement: those are bound (scar 38).
@safe package struct SQL: ExpressibleByStringLiteral, Sendable, CustomStringConvertible {
    /// The beginning that several statements share; most have none.
    private let head: StaticString?
    private let literal: StaticString

    package init(stringLiteral literal: StaticString) { self.init(nil, literal) }

    /// Makes a statement with a shared beginning.
    ///
    /// - Invariant: A literal follows one head only.
    package init(_ head: StaticString?, _ literal: StaticString) {
        precondition(
            literal.hasPointerRepresentation, "A statement is longer than a single character.")
        self.head = head
        self.literal = literal
    }

    package var description: String {
        head.map { "\($0)\n\(literal)" } ?? literal.description
    }

    /// The address of the literal in the program, which identifies the statement without reading
    /// it.
    var address: UInt {
        // SAFETY: the pointer is only compared, never followed.
        unsafe UInt(bitPattern: literal.utf8Start)
    }

    /// Lends the statement's bytes, which end in a NUL; a literal lives as long as the program.
    func withUTF8<T>(_ body: (UnsafePointer<CChar>, _ count: Int32) -> T) -> T {
        guard head == nil else {
            let text = description
            // SAFETY: the copy lives as long as the call, and the body keeps no pointer to it.
            return unsafe text.withCString { unsafe body($0, Int32(text.utf8.count)) }
        }
        let count = Int32(literal.utf8CodeUnitCount)
        // SAFETY: bytes of a literal, with its count; CChar and UInt8 have one layout.
        return unsafe literal.utf8Start.withMemoryRebound(to: CChar.self, capacity: Int(count)) {
            unsafe body($0, count)
        }
    }
}
