// SPDX-License-Identifier: Apache-2.0

/// Says why bytes could not be turned into values, and where.
///
/// Never carries the text of a message: only names of fields, offsets and what was expected.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The bytes are not JSON, not UTF-8, or not a frame.
        case malformed
        /// Objects and arrays stand inside one another more deeply than a reader follows.
        case tooDeep
        /// A field holds another kind of value than its meaning needs.
        case wrongType(expected: Expected)
        /// A number is no whole number, or does not fit.
        case outOfRange
        /// A field without which the object means nothing is absent.
        case missing
        /// The value has the right kind, but is none of those allowed.
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
    /// Bytes from the start of the frame or body to the offending place.
    package let offset: Int
    /// The way from the outermost object to the field, such as `messages[3].created_at`; "" outside.
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
    /// The same error as seen from the object that has the field; readers add a step as they unwind,
    /// so that a path costs nothing while all is well.
    func inside(field: String) -> Self {
        var error = self
        error.path =
            path.isEmpty || path.hasPrefix("[") ? field + path : field + "." + path
        return error
    }

    /// The same error as seen from the array that has the element.
    func inside(element: Int) -> Self {
        var error = self
        error.path =
            path.isEmpty || path.hasPrefix("[") ? "[\(element)]" + path : "[\(element)]." + path
        return error
    }

    /// A needed field that the object does not have.
    static func missing(_ field: String, offset: Int) -> Self {
        Self(.missing, offset: offset, path: field, message: "The field \(field) is missing.")
    }
}
