// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension UnknownFields {
    /// Keeps a field's value as the text it arrived in.
    mutating func keep(_ name: String, from reader: inout JSONReader) throws(WireError) {
        keep(Field(name: name, json: try reader.readRaw()))
    }

    /// The same fields without those of one name.
    package func removing(_ name: String) -> UnknownFields {
        var rest = UnknownFields()
        for field in fields where field.name != name { rest.keep(field) }
        return rest
    }
}

extension JSONWriter {
    /// Writes the fields back as they came.
    mutating func unknown(_ unknown: UnknownFields) {
        for field in unknown.fields { self.field(field.name, raw: field.json) }
    }

    /// Writes a field with its usual value, unless an unusual one was kept and follows later.
    mutating func usual(_ name: String, _ json: String, unlessIn unknown: UnknownFields) {
        if unknown[name] == nil { field(name, raw: json) }
    }
}
