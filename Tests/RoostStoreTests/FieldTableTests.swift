// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import RoostWire
import Testing

/// A made-up object: a stored property and a line for each field, and nothing else.
private struct Perch: FieldOwner, Hashable {
    enum Special: UInt8 { case none }

    var name = ""
    var isHigh = false
    var isFree = true
    var hiddenState = HiddenState.unhidden
    var birds: Int?
    var unknownFields = UnknownFields()

    static let usual = Perch()

    /// The fields of an earlier release.
    static var earlier: [Field<Perch>] {
        [
            .text("name", \.name, .at(0)), .flag("is_high", \.isHigh, .bit(0)),
            .word("hidden", \.hiddenState, unknown: .unhidden, .at(1), .unusual),
            .unknown(\.unknownFields, .at(2)),
        ]
    }

    static var fields: [Field<Perch>] {
        earlier + [
            .flag("is_free", \.isFree, .bit(1), .unusual),
            .count("birds", \.birds, .at(3, since: 2)),
        ]
    }
}

/// The table of fields drives the wire, the payload and the description (ADR 0021).
struct FieldTableTests {
    private static func json(_ perch: Perch, _ fields: [Field<Perch>] = Perch.fields) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            WireTable(fields).write(perch, to: &writer) { _, _ in }
        }
        return writer.text
    }

    private static func perch(
        json: String, _ fields: [Field<Perch>] = Perch.fields
    ) throws -> Perch {
        var perch = Perch()
        var reader = JSONReader(json)
        try WireTable(fields).read(into: &perch, from: &reader) { _, _, _ in }
        try reader.finish()
        return perch
    }

    private static func payload(_ perch: Perch, _ fields: [Field<Perch>] = Perch.fields) -> [UInt8]
    {
        let table = PayloadTable(fields)
        var bytes = [table.version]
        table.write(perch, to: &bytes) { _ in 1 }
        return bytes
    }

    private static func perch(
        payload: [UInt8], _ fields: [Field<Perch>] = Perch.fields
    ) throws -> Perch {
        let table = PayloadTable(fields)
        var perch = Perch()
        var reader = PayloadReader()
        let version = try reader.version(payload.span, newest: table.version)
        try table.read(payload.span, from: &reader, into: &perch, version: version) { _ in
            User(id: "")
        }
        try reader.finish(payload.span)
        return perch
    }

    @Test func `a field with one line comes back from the wire and from the payload`() throws {
        var perch = Perch(name: "oak", isHigh: true, isFree: false, birds: 3)
        perch.hiddenState = .untilShown
        #expect(
            Self.json(perch)
                == #"{"name":"oak","is_high":true,"hidden":"hidden_prevent_auto_unhide","#
                + #""is_free":false,"birds":3}"#)
        #expect(try Self.perch(json: Self.json(perch)) == perch)
        #expect(try Self.perch(payload: Self.payload(perch)) == perch)
    }

    @Test func `a field with one line is compared and described`() {
        let perch = Perch(name: "oak", birds: 3)
        #expect(perch != Perch(name: "oak", birds: 4))
        #expect(perch.fieldDescription == "Perch(name: oak, birds: 3)")
        #expect(Perch().fieldDescription == "Perch()")
    }

    @Test func `an earlier release keeps a new field as an unknown one`() throws {
        let perch = Perch(name: "oak", birds: 3)
        let kept = try Self.perch(json: Self.json(perch), Perch.earlier)
        #expect(kept.birds == nil)
        #expect(kept.unknownFields["birds"] == "3")
        #expect(Self.json(kept, Perch.earlier).hasSuffix(#","birds":3}"#))
        // A line without a name on the wire has none there either.
        let odd = try Self.perch(json: #"{"unknown fields":1,"":2}"#)
        #expect(odd.unknownFields.fields.map(\.json) == ["2", "1"])
    }

    @Test func `a payload of an earlier release has the usual value in a new field`() throws {
        let bytes = Self.payload(Perch(name: "oak", isHigh: true), Perch.earlier)
        #expect(bytes[0] == 1)
        #expect(Self.payload(Perch())[0] == 2)
        #expect(try Self.perch(payload: bytes) == Perch(name: "oak", isHigh: true))
        let newer = Self.payload(Perch(birds: 1))
        #expect(throws: PayloadError.version(2)) {
            try Self.perch(payload: newer, Perch.earlier)
        }
    }

    @Test func `null, wrong types and damaged payloads do not trap`() throws {
        #expect(try Self.perch(json: #"{"is_free":null,"name":null,"birds":null}"#) == Perch())
        #expect(throws: WireError.self) { try Self.perch(json: #"{"birds":[]}"#) }
        let bytes = Self.payload(Perch(name: "oak", birds: 3))
        for count in bytes.indices {
            #expect(throws: PayloadError.self) { try Self.perch(payload: Array(bytes[..<count])) }
        }
        var unknownBit = bytes
        unknownBit[1] |= 4
        #expect(throws: PayloadError.invalid) { try Self.perch(payload: unknownBit) }
    }

    @Test func `each stored property of an object has one line`() {
        // The contents of the outbox are neither stored nor sent with a channel.
        Self.expectLines(GroupChannel.self, besides: ["marks"])
        Self.expectLines(MessageDetails.self)
    }

    private static func expectLines<Object: FieldOwner>(
        _: Object.Type, besides others: Set<String> = []
    ) {
        let lines = Object.fields.map(\.line).filter {
            $0.kind != .derived && $0.kind != .parentEdit
        }
        #expect(Set(lines.map(\.offset)).count == lines.count, "\(Object.self)")
        let properties = Mirror(reflecting: Object.usual).children.compactMap(\.label)
        #expect(lines.count == properties.count { !others.contains($0) }, "\(Object.self)")
    }
}
