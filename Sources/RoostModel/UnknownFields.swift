// SPDX-License-Identifier: Apache-2.0

/// Fields that a newer server sent and this release has no name for.
///
/// They are stored with their object and written again when it is encoded. An object that
/// the model spreads over other fields has no place for them; its unknown fields stand with the
/// owner, under the object's name.
public struct UnknownFields: Hashable, Codable, Sendable {
    /// One field: its name, and its value as the JSON text that arrived.
    public struct Field: Hashable, Codable, Sendable {
        /// The key of the field.
        public let name: String
        /// The value as JSON text.
        public let json: String

        /// Creates a field.
        public init(name: String, json: String) {
            self.name = name
            self.json = json
        }
    }

    /// The fields, sorted by name, so that objects are equal whatever order a server wrote (scar
    /// 83).
    public private(set) var fields: [Field] = []

    /// Creates an empty set of fields.
    public init() {}

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// The JSON text of a field; nil if the object lacks it.
    public subscript(name: String) -> String? {
        let place = place(of: name)
        return place < fields.endIndex && fields[place].name == name ? fields[place].json : nil
    }

    /// Returns the index of a name, or the index to insert it at.
    ///
    /// - Complexity: O(log n); a peer decides how many fields there are.
    private func place(of name: String) -> Int {
        fields.partitionPoint { $0.name < name }
    }

    /// Returns the fields without those of one name.
    package func removing(_ name: String) -> UnknownFields {
        var rest = self
        rest.fields.removeAll { $0.name == name }
        return rest
    }

    /// Adds a field; replaces an earlier field of the same name.
    public mutating func keep(_ field: Field) {
        let index = place(of: field.name)
        if index < fields.endIndex, fields[index].name == field.name {
            fields[index] = field
        } else {
            fields.insert(field, at: index)
        }
    }
}
