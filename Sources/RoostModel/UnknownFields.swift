// SPDX-License-Identifier: Apache-2.0

/// Fields that a newer server sent and this version has no name for, kept so that they come back out.
///
/// They are stored with their object and written again when it is encoded (scar 76). An object that the
/// model takes apart has no place of its own: what is unknown inside it stands with its owner, as one
/// field of the object's name that holds an object.
public struct UnknownFields: Hashable, Sendable {
    /// One field: its name, and its value as the JSON text it arrived in.
    public struct Field: Hashable, Sendable {
        public let name: String
        public let json: String

        public init(name: String, json: String) {
            self.name = name
            self.json = json
        }
    }

    /// By name, so that two objects are equal in whatever order their servers wrote them (scar 83).
    public private(set) var fields: [Field] = []

    public init() {}

    public var isEmpty: Bool { fields.isEmpty }

    /// The JSON text of a field, or nil when the object did not carry it.
    public subscript(name: String) -> String? {
        let place = place(of: name)
        return place < fields.endIndex && fields[place].name == name ? fields[place].json : nil
    }

    /// Where a field of a name stands, or would stand.
    ///
    /// - Complexity: O(log n): a peer decides how many fields there are.
    private func place(of name: String) -> Int {
        var (low, high) = (fields.startIndex, fields.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if fields[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The same fields without those of one name.
    package func removing(_ name: String) -> UnknownFields {
        var rest = self
        rest.fields.removeAll { $0.name == name }
        return rest
    }

    /// Keeps a field; a later one of the same name replaces the earlier one.
    public mutating func keep(_ field: Field) {
        let index = place(of: field.name)
        if index < fields.endIndex, fields[index].name == field.name {
            fields[index] = field
        } else {
            fields.insert(field, at: index)
        }
    }
}
