// SPDX-License-Identifier: Apache-2.0

/// A large value behind one reference; copies share it until one of them changes.
///
/// Lists, snapshots and diffs copy messages and users far more often than they change them. A copy
/// of a dozen strings counts a dozen references.
///
/// The parameter has no requirements, because Swift's runtime looks up the conformance for each of
/// them when it first makes the type: it searches all libraries of the process, 0.2 ms each time.
struct Shared<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        // SAFETY: the value changes only through a reference that was just found to be unique,
        // by the owner of that reference. The owner of the struct has exclusive access already; the
        // check at run time would find nothing and cost time for each field of each message.
        @exclusivity(unchecked) nonisolated(unsafe) var value: Value

        init(_ value: Value) { unsafe self.value = value }
    }

    private var box: Box

    init(_ value: Value) { box = Box(value) }

    var value: Value {
        // SAFETY: as for the box.
        _read { yield unsafe box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = unsafe Box(box.value) }
            yield unsafe &box.value
        }
    }
}

extension Shared: Equatable where Value: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.value == right.value
    }
}

extension Shared: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Shared: Decodable where Value: Decodable {
    init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }
}

extension Shared: Encodable where Value: Encodable {
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Shared: CustomReflectable {
    var customMirror: Mirror { Mirror(reflecting: value) }
}
