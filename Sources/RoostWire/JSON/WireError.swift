// SPDX-License-Identifier: Apache-2.0

/// A failure to decode bytes, with its place.
///
/// It contains names of fields, offsets and the expected kind, never the text of a message.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The bytes are not JSON, not UTF-8, or not a frame.
        case malformed
        /// Objects and arrays are nested more deeply than the reader allows.
        case tooDeep
        /// A field has a value of the wrong kind.
        case wrongType(expected: Expected)
        /// A number is not whole or does not fit.
        case outOfRange
        /// A required field is missing.
        case missing
        /// The value has the right kind and is not allowed.
        case invalid
    }

    package enum Expected: String, Hashable, Sendable {
        case string
        case number
        case boolean
        case array
        case object
    }

    package let kind: Kind
    /// The offset in bytes from the start of the frame or body.
    package let offset: Int
    /// The path from the outermost object to the field, such as `messages[3].created_at`; ""
    /// outside.
    package private(set) var path: String
    package let message: String

    package init(_ kind: Kind, offset: Int = 0, path: String = "", message: String) {
        self.kind = kind
        self.offset = offset
        self.path = path
        self.message = message
    }

    package var description: String {
        path.isEmpty
            ? "\(message) (byte \(offset))" : "\(message) (\(path), byte \(offset))"
    }
}

extension WireError {
    /// Returns the error with a field prepended to its path; readers do so while unwinding, so a
    /// path costs nothing without an error.
    func inside(field: String) -> Self {
        var error = self
        error.path =
            path.isEmpty || path.hasPrefix("[") ? field + path : field + "." + path
        return error
    }

    /// Returns the error with an element prepended to its path.
    func inside(element: Int) -> Self {
        var error = self
        error.path =
            path.isEmpty || path.hasPrefix("[") ? "[\(element)]" + path : "[\(element)]." + path
        return error
    }

    /// Returns the error for a missing required field.
    static func missing(_ field: String, offset: Int) -> Self {
        Self(.missing, offset: offset, path: field, message: "The field \(field) is missing.")
    }
}
