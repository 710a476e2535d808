// SPDX-License-Identifier: Apache-2.0

/// A value that most owners lack, behind one reference; nothing is allocated for the empty value.
struct Rare<Value: RareValue>: Hashable, Codable, Sendable, CustomReflectable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    init() {}

    /// Creates a box for a value that differs from the empty one.
    init(_ value: Value) { box = Box(value) }

    var isEmpty: Bool { box == nil }

    /// The value; a write allocates a new box, so change several fields of a copy and set it once.
    var value: Value {
        get { box?.value ?? Value() }
        set { box = newValue == Value() ? nil : Box(newValue) }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.value == right.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }

    init(from decoder: any Decoder) throws {
        self.init()
        value = try Value(from: decoder)
    }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

    var customMirror: Mirror { Mirror(reflecting: value) }
}

/// A value with an empty state, which `Rare` stores without an allocation.
protocol RareValue: Hashable, Codable, Sendable {
    init()
}

/// A value behind a reference, for a rare large field of a common struct.
package struct Indirect<Value: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
    private indirect enum Box: Hashable, Codable, Sendable { case value(Value) }

    private let box: Box

    package init(_ value: Value) { box = .value(value) }

    package var value: Value {
        switch box {
        case .value(let value): value
        }
    }
}

extension Indirect: CustomStringConvertible {
    package var description: String { String(describing: value) }
}
