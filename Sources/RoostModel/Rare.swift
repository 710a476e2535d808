// SPDX-License-Identifier: Apache-2.0

/// A value that most owners do not have, behind one reference: nothing is allocated until it differs
/// from the empty one.
struct Rare<Value: RareValue>: Hashable, Sendable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    init() {}

    /// For a value that differs from the empty one.
    init(_ value: Value) { box = Box(value) }

    var isEmpty: Bool { box == nil }

    /// Setting it makes a new box: change several fields of a copy, then set that.
    var value: Value {
        get { box?.value ?? Value() }
        set { box = newValue == Value() ? nil : Box(newValue) }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.value == right.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// What can stand in a `Rare`: it has an empty value.
protocol RareValue: Hashable, Sendable {
    init()
}

/// One value behind a reference, for the rare large field of a common struct.
struct Indirect<Value: Hashable & Sendable>: Hashable, Sendable {
    private indirect enum Box: Hashable, Sendable { case value(Value) }

    private let box: Box

    init(_ value: Value) { box = .value(value) }

    var value: Value {
        switch box {
        case .value(let value): value
        }
    }
}
