// SPDX-License-Identifier: Apache-2.0

// An encoder to JSON that passes every text through a function first.
//
// `JSONEncoder` has no place for such a function. The names of keys and of enumerations' cases are
// no content and stay as they are. So do random request IDs, which the machine makes itself.

package import RoostCore
import RoostModel
import RoostWire

/// Encodes a value as JSON with each text replaced.
struct NamingEncoder {
    /// Returns the replacement of a text.
    let name: (String) -> String

    func encode(_ value: some Encodable) throws -> String {
        let place = try visit(value)
        var writer = JSONWriter()
        place.write(to: &writer)
        return writer.text
    }

    /// Gives every text of a value to the function, without writing.
    @discardableResult
    fileprivate func visit(_ value: some Encodable) throws -> EncodedPlace {
        let place = EncodedPlace()
        try place.encode(value, name)
        return place
    }
}

extension NamedContent {
    /// Assigns names to the content of a recording.
    package init(of recording: Recording) {
        var texts: Set<String> = []
        let collector = NamingEncoder { text in
            texts.insert(text)
            return text
        }
        _ = try? collector.visit(recording.base)
        for entry in recording.entries { _ = try? collector.visit(entry.input) }
        self.init(texts)
    }
}

/// A text that is not replaced in a journal.
package struct PlainText: Equatable, Codable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ text: String) { description = text }

    package init(from decoder: any Decoder) throws {
        description = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// One place of the JSON text under construction.
private final class EncodedPlace {
    private enum Content {
        case null
        case bool(Bool)
        case number(String)
        case text(String)
        case list([EncodedPlace])
        case fields([(key: String, place: EncodedPlace)])
    }

    private var content = Content.null

    func setNull() { content = .null }
    func set(_ value: Bool) { content = .bool(value) }
    func set(_ value: some CustomStringConvertible & Numeric) {
        content = .number(value.description)
    }
    /// JSON has no other numbers than finite ones.
    func set(_ value: Double) { content = value.isFinite ? .number(value.description) : .null }
    func set(text: String) { content = .text(text) }
    func beginList() { if case .list = content {} else { content = .list([]) } }
    func beginFields() { if case .fields = content {} else { content = .fields([]) } }

    var count: Int { if case .list(let places) = content { places.count } else { 0 } }

    func append() -> EncodedPlace {
        let place = EncodedPlace()
        if case .list(var places) = content {
            content = .null
            places.append(place)
            content = .list(places)
        }
        return place
    }

    func field(_ key: String) -> EncodedPlace {
        let place = EncodedPlace()
        if case .fields(var fields) = content {
            content = .null
            fields.append((key, place))
            content = .fields(fields)
        }
        return place
    }

    /// Encodes a value into this place.
    func encode<Value: Encodable>(_ value: Value, _ name: @escaping (String) -> String) throws {
        switch value {
        case let text as String: content = .text(name(text))
        case let id as RequestID where id.isRandom: content = .text(id.rawValue)
        // The bytes of a file, or a key.
        case is [UInt8]: content = .list([])
        case let plain as PlainText: content = .text(plain.description)
        case let choice as any RawRepresentable<String>
        where Mirror(reflecting: value).displayStyle == .enum:
            content = .text(choice.rawValue)
        default:
            try value.encode(
                to: PlaceEncoder(place: self, name: name, namesKeys: value is any TextKeyed))
        }
    }

    func write(to writer: inout JSONWriter) {
        switch content {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let digits): writer.raw(digits)
        case .text(let text): writer.string(text)
        case .list(let places):
            writer.array { writer in for place in places { place.write(to: &writer) } }
        case .fields(let fields):
            writer.object { writer in
                for field in fields {
                    writer.name(field.key)
                    field.place.write(to: &writer)
                }
            }
        }
    }
}

/// A dictionary whose keys are content.
private protocol TextKeyed {}
extension Dictionary: TextKeyed where Key == String {}

private struct PlaceEncoder: Encoder {
    let place: EncodedPlace
    let name: (String) -> String
    let namesKeys: Bool
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        place.beginFields()
        return KeyedEncodingContainer(Fields<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        place.beginList()
        return List(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    fileprivate func at(_ place: EncodedPlace) -> PlaceEncoder {
        PlaceEncoder(place: place, name: name, namesKeys: false)
    }
}

private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PlaceEncoder
    var codingPath: [any CodingKey] { [] }

    private func place(_ key: any CodingKey) -> EncodedPlace {
        encoder.place.field(
            encoder.namesKeys ? encoder.name(key.stringValue) : key.stringValue)
    }

    func encodeNil(forKey key: Key) { place(key).setNull() }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try place(key).encode(value, encoder.name)
    }
    func encode(_ value: String, forKey key: Key) { place(key).set(text: encoder.name(value)) }
    func encode(_ value: Bool, forKey key: Key) { place(key).set(value) }
    func encode(_ value: Double, forKey key: Key) { place(key).set(value) }
    func encode(_ value: Float, forKey key: Key) { place(key).set(value) }
    func encode(_ value: Int, forKey key: Key) { place(key).set(value) }
    func encode(_ value: Int8, forKey key: Key) { place(key).set(value) }
    func encode(_ value: Int16, forKey key: Key) { place(key).set(value) }
    func encode(_ value: Int32, forKey key: Key) { place(key).set(value) }
    func encode(_ value: Int64, forKey key: Key) { place(key).set(value) }
    func encode(_ value: UInt, forKey key: Key) { place(key).set(value) }
    func encode(_ value: UInt8, forKey key: Key) { place(key).set(value) }
    func encode(_ value: UInt16, forKey key: Key) { place(key).set(value) }
    func encode(_ value: UInt32, forKey key: Key) { place(key).set(value) }
    func encode(_ value: UInt64, forKey key: Key) { place(key).set(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.at(place(key)).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.at(place(key)).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder.at(encoder.place.field("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.at(place(key)) }
}

private struct List: UnkeyedEncodingContainer {
    let encoder: PlaceEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.place.count }

    func encodeNil() { encoder.place.append().setNull() }
    func encode<Value: Encodable>(_ value: Value) throws {
        try encoder.place.append().encode(value, encoder.name)
    }
    func encode(_ value: String) { encoder.place.append().set(text: encoder.name(value)) }
    func encode(_ value: Bool) { encoder.place.append().set(value) }
    func encode(_ value: Double) { encoder.place.append().set(value) }
    func encode(_ value: Float) { encoder.place.append().set(value) }
    func encode(_ value: Int) { encoder.place.append().set(value) }
    func encode(_ value: Int8) { encoder.place.append().set(value) }
    func encode(_ value: Int16) { encoder.place.append().set(value) }
    func encode(_ value: Int32) { encoder.place.append().set(value) }
    func encode(_ value: Int64) { encoder.place.append().set(value) }
    func encode(_ value: UInt) { encoder.place.append().set(value) }
    func encode(_ value: UInt8) { encoder.place.append().set(value) }
    func encode(_ value: UInt16) { encoder.place.append().set(value) }
    func encode(_ value: UInt32) { encoder.place.append().set(value) }
    func encode(_ value: UInt64) { encoder.place.append().set(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.at(encoder.place.append()).container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.at(encoder.place.append()).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder.at(encoder.place.append()) }
}

private struct Single: SingleValueEncodingContainer {
    let encoder: PlaceEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { encoder.place.setNull() }
    func encode<Value: Encodable>(_ value: Value) throws {
        try encoder.place.encode(value, encoder.name)
    }
    func encode(_ value: String) { encoder.place.set(text: encoder.name(value)) }
    func encode(_ value: Bool) { encoder.place.set(value) }
    func encode(_ value: Double) { encoder.place.set(value) }
    func encode(_ value: Float) { encoder.place.set(value) }
    func encode(_ value: Int) { encoder.place.set(value) }
    func encode(_ value: Int8) { encoder.place.set(value) }
    func encode(_ value: Int16) { encoder.place.set(value) }
    func encode(_ value: Int32) { encoder.place.set(value) }
    func encode(_ value: Int64) { encoder.place.set(value) }
    func encode(_ value: UInt) { encoder.place.set(value) }
    func encode(_ value: UInt8) { encoder.place.set(value) }
    func encode(_ value: UInt16) { encoder.place.set(value) }
    func encode(_ value: UInt32) { encoder.place.set(value) }
    func encode(_ value: UInt64) { encoder.place.set(value) }
}
