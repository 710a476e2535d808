// SPDX-License-Identifier: Apache-2.0

/// The end of a check whose rule does not hold, or cannot be seen.
///
/// It is a class, and functions that all checks call are not inlined: each `try` of a check would
/// otherwise make the program larger. Together this saves a quarter of the module.
package final class CheckFailure: Error, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The server has answered, and wrongly.
        case broken
        /// The server does not offer the feature (400920, 400930).
        case notOffered
        /// The rule is about a choice that the server has made otherwise.
        case notApplicable
        /// No complete answer to a call or a login came in time, or the connection broke.
        case unanswered
        /// An expected frame did not come over a socket that had brought other ones.
        case unheard
    }

    package let kind: Kind
    package let expected: String
    package let seen: String

    package init(_ kind: Kind = .broken, expected: String, seen: String) {
        self.kind = kind
        self.expected = expected
        self.seen = seen
    }

    /// The failure of a call or command that every server must offer: a refusal of it as not offered
    /// breaks a rule, also in the check of a feature that a server may leave out.
    var asRequired: CheckFailure {
        kind == .notOffered ? CheckFailure(expected: expected, seen: seen) : self
    }
}

/// Ends a check unless a condition holds.
@inline(never)
func expect(
    _ condition: Bool, _ expected: @autoclosure () -> String,
    seen: @autoclosure () -> any CustomStringConvertible
) throws(CheckFailure) {
    guard condition else {
        throw CheckFailure(expected: expected(), seen: seen().description)
    }
}

/// Ends a check unless a value is the expected one.
@inline(never)
func expect(
    _ value: JSON, is expected: JSON, _ name: @autoclosure () -> String
) throws(CheckFailure) {
    guard value == expected else {
        throw CheckFailure(expected: "\(name()) is \(expected)", seen: value.description)
    }
}

/// The types of fields, for tables of required ones.
enum FieldType: String {
    case text = "a text"
    case number = "a whole number"
    case boolean = "true or false"
    case list = "a list"
    case object = "an object"
    /// In milliseconds of this century: seconds and microseconds are outside.
    case time = "a time in milliseconds"
    case seconds = "a time in seconds"

    func fits(_ value: JSON) -> Bool {
        switch self {
        case .text: value.text != nil
        case .number: value.int != nil
        case .boolean: value.bool != nil
        case .list: value.isList
        case .object: value.isObject
        case .time: value.int.map { 1_000_000_000_000..<10_000_000_000_000 ~= $0 } ?? false
        case .seconds: value.int.map { 1_000_000_000..<10_000_000_000 ~= $0 } ?? false
        }
    }
}

/// Ends a check unless an object has fields of some types.
@inline(never)
func expect(
    _ object: JSON, has fields: KeyValuePairs<String, FieldType>, _ name: String
) throws(CheckFailure) {
    for (field, type) in fields {
        try expect(
            type.fits(object[field]), "\(name) has \(field), \(type.rawValue)",
            seen: "\(field): \(object[field])")
    }
}
