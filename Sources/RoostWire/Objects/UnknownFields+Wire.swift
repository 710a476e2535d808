// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension UnknownFields {
    /// The most fields that one object of a peer may leave.
    ///
    /// Newer servers add a few. Each further one moves those behind it, so 100,000 names in
    /// descending order would take minutes.
    package static let limit = 256

    /// Keeps a field's value as the text that arrived; skips it if the object has too many.
    mutating func keep(_ name: String, from reader: inout JSONReader) throws(WireError) {
        guard fields.count < Self.limit || self[name] != nil else { return try reader.skipValue() }
        keep(Field(name: name, json: try reader.readRaw()))
    }

    /// Keeps the unknown fields of an object that the model spreads, as one field of the object's
    /// name.
    ///
    /// The name is free, because the object itself is known.
    mutating func keep(_ name: String, inside fields: UnknownFields) {
        guard !fields.isEmpty else { return }
        var writer = JSONWriter()
        writer.object { $0.unknown(fields) }
        keep(Field(name: name, json: writer.text))
    }
}

extension JSONWriter {
    /// Writes the fields back as they arrived.
    mutating func unknown(_ unknown: UnknownFields) {
        for field in unknown.fields { self.field(field.name, raw: field.json) }
    }

    /// Writes the unknown fields of an object into that object.
    mutating func unknown(_ unknown: UnknownFields, inside name: String) {
        guard let json = unknown[name] else { return }
        var reader = JSONReader(json)
        var fields = UnknownFields()
        do throws(WireError) {
            try reader.readObject { name, reader throws(WireError) in
                try fields.keep(name, from: &reader)
            }
        } catch {
            // The value is no object if an app has put it there; nothing can be added then.
            return
        }
        self.unknown(fields)
    }

    /// Writes a field with its usual value, unless an unusual one was kept and follows later.
    mutating func usual(_ name: String, _ json: String, unlessIn unknown: UnknownFields) {
        if unknown[name] == nil { field(name, raw: json) }
    }
}
