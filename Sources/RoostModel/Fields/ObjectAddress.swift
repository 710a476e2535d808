// SPDX-License-Identifier: Apache-2.0

/// The address of an object during one call, for access to its fields by their offsets.
///
/// An access by key path takes about 30 ns, as long as reading a short text; an offset takes none
/// ([ADR 0021]). Only `Field` makes offsets, from a key path of the same object and value.
@safe @usableFromInline
package struct ObjectAddress {
    @usableFromInline let start: UnsafeMutableRawPointer

    @inlinable
    init(_ start: UnsafeMutableRawPointer) { unsafe self.start = start }

    /// Lends an object whose fields the call may change.
    @inlinable @inline(__always)
    package static func lend<Object, Failure>(
        _ object: inout Object, _ body: (ObjectAddress) throws(Failure) -> Void
    ) throws(Failure) {
        // SAFETY: the pointer is used during the call only.
        try unsafe withUnsafeMutablePointer(to: &object) { pointer throws(Failure) in
            try body(unsafe ObjectAddress(UnsafeMutableRawPointer(pointer)))
        }
    }

    /// Lends an object whose fields the call only reads.
    @inlinable @inline(__always)
    package static func lend<Object>(reading object: Object, _ body: (ObjectAddress) -> Void) {
        // SAFETY: the pointer is used during the call only, and nothing writes to it.
        unsafe withUnsafePointer(to: object) { pointer in
            body(unsafe ObjectAddress(UnsafeMutableRawPointer(mutating: pointer)))
        }
    }

    /// The field of this type at an offset; offset 0 and the object's own type give the object.
    @inlinable @inline(__always)
    package subscript<Value>(offset: Int, _: Value.Type) -> Value {
        // SAFETY: the object is lent for the call, and the offset is that of a field of this type.
        _read {
            yield unsafe start.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
        }
        nonmutating _modify {
            yield unsafe &start.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
        }
    }
}
