// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A JSON value as a tree, for lines of the command line, request bodies and tests.
///
/// Names of fields are compared byte by byte, because some of them are user IDs.
///
/// Pages and frames are read with `JSONReader`, which builds no tree.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    /// A number that is not whole or does not fit, as its text.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// The fields in the order of the text; of a repeated name the later value.
    case object([Field])

    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Parses one value that fills the whole text.
    package init(parsing text: String) throws(WireError) {
        var reader = JSONReader(text)
        self = try reader.readValue()
        try reader.finish()
    }

    /// Parses one value that fills the bytes.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8.
    ///   - depth: The nesting depth beyond which the value is refused.
    /// - Throws: `.malformed` or `.tooDeep`.
    package init(
        parsing bytes: [UInt8], depth: Int = JSONReader.depthLimit
    ) throws(WireError) {
        var reader = try JSONReader(bytes: bytes)
        reader.depthBound = depth
        self = try reader.readValue()
        try reader.finish()
    }

    /// The value of a field; nil if this is no object or lacks the field.
    ///
    /// The setter turns any other value into an object.
    package subscript(name: String) -> JSONValue? {
        get {
            guard case .object(let fields) = self else { return nil }
            return fields.first { $0.name.isSameBytes(as: name) }?.value
        }
        set {
            var fields = takeFields()
            let index = fields.firstIndex { $0.name.isSameBytes(as: name) }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append(Field(name, value))
            case (nil, nil): break
            }
            self = .object(fields)
        }
    }

    /// Sets the fields of another object; any other value becomes an object first.
    ///
    /// - Complexity: One pass over both objects; the subscript searches all fields for each name.
    package mutating func merge(_ other: [Field]) {
        var fields = takeFields()
        var indices: [ExactText: Int] = [:]
        for (index, field) in fields.enumerated() where indices[ExactText(field.name)] == nil {
            indices[ExactText(field.name)] = index
        }
        for field in other {
            if let index = indices[ExactText(field.name)] {
                fields[index].value = field.value
            } else {
                indices[ExactText(field.name)] = fields.count
                fields.append(field)
            }
        }
        self = .object(fields)
    }

    /// Returns the fields and leaves null, so that the caller can change them without a copy.
    private mutating func takeFields() -> [Field] {
        guard case .object(let fields) = self else { return [] }
        self = .null
        return fields
    }

    /// The element at an index; nil if this is no array or is shorter.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }

    package var text: String {
        var writer = JSONWriter()
        writer.value(self)
        return writer.text
    }

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var int: Int64? { if case .int(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
}

extension JSONReader {
    /// Reads a value of any kind as a tree.
    package mutating func readValue() throws(WireError) -> JSONValue {
        switch try peek() {
        case .null:
            _ = try readNull()
            return .null
        case .boolean: return .bool(try readBool())
        case .string: return .string(try readString())
        case .number:
            let number = try scanNumber()
            if let whole = number.wholeValue(in: bytes) { return .int(whole) }
            return .number(String(decoding: bytes[number.text], as: UTF8.self))
        case .array:
            return .array(
                try readList { reader throws(WireError) in try reader.readValue() })
        case .object:
            var fields: [JSONValue.Field] = []
            var indices: [ExactText: Int] = [:]
            try readObject { name, reader throws(WireError) in
                let value = try reader.readValue()
                if let index = indices[ExactText(name)] {
                    fields[index].value = value
                } else {
                    indices[ExactText(name)] = fields.count
                    fields.append(JSONValue.Field(name, value))
                }
            }
            return .object(fields)
        }
    }
}

extension JSONWriter {
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let bool): self.bool(bool)
        case .int(let int): self.int(int)
        case .number(let text): raw(text)
        case .string(let text): string(text)
        case .array(let values):
            array { writer in
                for value in values { writer.value(value) }
            }
        case .object(let fields):
            object { writer in
                for field in fields {
                    writer.name(field.name)
                    writer.value(field.value)
                }
            }
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(nilLiteral: ()) { self = .null }
    /// Creates an object; the names must differ.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Field($0, $1) })
    }
}
