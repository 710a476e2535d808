// SPDX-License-Identifier: Apache-2.0

/// A JSON value of a server, read without the code that a Roost server shares with its clients.
///
/// A fault of that code would otherwise be in both ends, and no check could see it.
package indirect enum JSON: Equatable, Sendable {
    /// The value of a field or an element that does not exist; no text has it.
    case missing
    case null
    case bool(Bool)
    case int(Int64)
    /// A number with a fraction, an exponent, or beyond 64 bits, as its text.
    case number(String)
    case text(String)
    case list([JSON])
    /// The fields by name; of a repeated name the last value.
    case object([String: JSON])

    /// The value of a field; missing if this is no object or lacks the field.
    package subscript(name: String) -> JSON {
        @inline(never) get {
            guard case .object(let fields) = self else { return .missing }
            return fields[name] ?? .missing
        }
    }

    /// The element at an index; missing if this is no list or is shorter.
    package subscript(index: Int) -> JSON {
        guard case .list(let values) = self, values.indices.contains(index) else {
            return .missing
        }
        return values[index]
    }

    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var int: Int64? { if case .int(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements; none if this is no list.
    package var elements: [JSON] { if case .list(let values) = self { values } else { [] } }
    /// The fields; none if this is no object.
    package var fields: [String: JSON] {
        if case .object(let fields) = self { fields } else { [:] }
    }
    package var isList: Bool { if case .list = self { true } else { false } }
    package var isObject: Bool { if case .object = self { true } else { false } }
    package var isMissing: Bool { self == .missing }

    /// Returns the object with a field changed, or without it for a missing value.
    @inline(never) package func with(_ name: String, _ value: JSON) -> JSON {
        var fields = fields
        fields[name] = value.isMissing ? nil : value
        return .object(fields)
    }

    /// Returns the values of one field of the elements, in order.
    @inline(never) package func each(_ name: String) -> [JSON] { elements.map { $0[name] } }
}

extension [JSON] {
    /// Whether both lists have the same values, whatever their order and number.
    @inline(never) func isAlike(_ values: [JSON]) -> Bool {
        allSatisfy { values.contains($0) } && values.allSatisfy { contains($0) }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    @inline(never) package init(stringLiteral value: String) { self = .text(value) }
    @inline(never) package init(integerLiteral value: Int64) { self = .int(value) }
    @inline(never) package init(booleanLiteral value: Bool) { self = .bool(value) }
    @inline(never) package init(arrayLiteral elements: JSON...) { self = .list(elements) }
    /// Creates an object; of a repeated name the last value counts, and a missing value is left out.
    @inline(never) package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(
            Dictionary(elements.filter { !$0.1.isMissing }, uniquingKeysWith: { $1 }))
    }
}

// MARK: - Writing

extension JSON: CustomStringConvertible {
    /// The value as text on one line, the fields in order of their names.
    package var description: String {
        switch self {
        case .missing: "nothing"
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .number(let text): text
        case .text(let text): Self.quoted(text)
        case .list(let values): "[\(values.map(\.description).joined(separator: ","))]"
        case .object(let fields):
            "{"
                + fields.sorted { $0.key < $1.key }
                .map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
