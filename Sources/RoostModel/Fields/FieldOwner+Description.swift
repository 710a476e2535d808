// SPDX-License-Identifier: Apache-2.0

extension FieldOwner {
    /// Returns the fields with unusual values, by their names on the wire.
    package func describedFields(
        _ fields: [Field<Self>] = Self.fields
    ) -> [(name: String, value: String)] {
        var described: [(name: String, value: String)] = []
        ObjectAddress.lend(reading: self) { object in
            for field in fields {
                guard let value = field.line.described(object) else { continue }
                described.append((field.line.name, value))
            }
        }
        return described
    }

    /// The description of an object: its type, and the fields with unusual values.
    package var fieldDescription: String {
        let fields = describedFields().map { "\($0.name): \($0.value)" }
        return "\(Self.self)(\(fields.joined(separator: ", ")))"
    }
}

extension GroupChannel: CustomStringConvertible {
    /// The fields whose values differ from the usual ones, by their names on the wire.
    public var description: String { fieldDescription }
}
