// SPDX-License-Identifier: Apache-2.0

/// A value that most owners lack, behind one reference; nothing is allocated for the empty value.
///
/// The parameter has no requirements (see `Shared`).
struct Rare<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    init() {}

    /// Creates a box for a value that differs from the empty one.
    init(_ value: Value) { box = Box(value) }

    var isEmpty: Bool { box == nil }
}

extension Rare where Value: RareValue {
    /// The value; a write allocates a new box, so change several fields of a copy and set it once.
    var value: Value {
        get { box?.value ?? Value() }
        set { box = newValue == Value() ? nil : Box(newValue) }
    }
}

extension Rare: Equatable where Value: RareValue {
    static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.value == right.value
    }
}

extension Rare: Hashable where Value: RareValue {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Rare: Codable where Value: RareValue {
    init(from decoder: any Decoder) throws {
        self.init()
        value = try Value(from: decoder)
    }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Rare: CustomReflectable where Value: RareValue {
    var customMirror: Mirror { Mirror(reflecting: value) }
}

/// A value with an empty state, which `Rare` stores without an allocation.
protocol RareValue: Hashable, Codable, Sendable {
    init()
}

/// A value behind a reference, for a rare large field of a common struct.
///
/// The parameter has no requirements (see `Shared`).
package struct Indirect<Value: Sendable>: Sendable {
    fileprivate indirect enum Box: Sendable { case value(Value) }

    private let box: Box

    package init(_ value: Value) { box = .value(value) }

    package var value: Value {
        switch box {
        case .value(let value): value
        }
    }
}

extension Indirect: Equatable where Value: Equatable {}
extension Indirect: Hashable where Value: Hashable {}
extension Indirect: Encodable where Value: Encodable {}
extension Indirect: Decodable where Value: Decodable {}
extension Indirect.Box: Equatable where Value: Equatable {}
extension Indirect.Box: Hashable where Value: Hashable {}
extension Indirect.Box: Encodable where Value: Encodable {}
extension Indirect.Box: Decodable where Value: Decodable {}

extension Indirect: CustomStringConvertible {
    package var description: String { String(describing: value) }
}
