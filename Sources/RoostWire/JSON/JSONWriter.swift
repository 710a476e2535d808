// SPDX-License-Identifier: Apache-2.0

/// A writer of JSON on one line without spaces, into a buffer.
///
/// The writer sets the commas; the caller must not repeat names.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false
    /// Whether the object is about an open channel, so that its `channel_type` is `open`.
    var isAboutOpenChannel = false

    package init() {}

    /// Creates a writer whose text begins with a prefix that is not JSON, as a frame's command.
    init(behind prefix: String) {
        // Most frames fit.
        bytes.reserveCapacity(512)
        bytes.append(contentsOf: prefix.utf8)
    }

    /// Writes a line break.
    mutating func endLine() { bytes.append(0x0A) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        nest(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        nest(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    package mutating func string(_ value: String) {
        beginValue()
        quoted(value)
    }

    package mutating func int(_ value: Int64) {
        beginValue()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    package mutating func null() { raw("null") }

    /// Writes text that is a JSON value on one line already.
    package mutating func raw(_ json: String) {
        beginValue()
        bytes.append(contentsOf: json.utf8)
    }

    /// Writes the name of a field, whose value must follow.
    ///
    /// `range` is the place in `names` of the name with its quotes and its colon.
    mutating func name(quoted range: Range<Int>, of names: [UInt8]) {
        beginValue()
        let part = names.span.extracting(range)
        // SAFETY: the bytes are valid during the call, and the writer has a copy of them.
        unsafe part.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        needsComma = false
    }

    /// Writes the name of a field, whose value must follow.
    package mutating func name(_ name: String) {
        beginValue()
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }
}

extension JSONWriter {
    package mutating func field(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    package mutating func field(_ name: String, _ value: Int64) {
        self.name(name)
        int(value)
    }

    package mutating func field(_ name: String, _ value: Int) { field(name, Int64(value)) }

    package mutating func field(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    package mutating func field(_ name: String, raw json: String) {
        self.name(name)
        raw(json)
    }

    package mutating func field(_ name: String, _ values: [String]) {
        self.name(name)
        array { writer in
            for value in values { writer.string(value) }
        }
    }

    package mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        self.name(name)
        object(body)
    }

    package mutating func array(_ name: String, _ body: (inout JSONWriter) -> Void) {
        self.name(name)
        array(body)
    }
}

extension JSONWriter {
    private mutating func nest(
        _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void
    ) {
        beginValue()
        bytes.append(open)
        needsComma = false
        body(&self)
        bytes.append(close)
        needsComma = true
    }

    private mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func quoted(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        // Most texts need no escapes: the text is copied in one go and checked afterwards.
        let start = bytes.count
        bytes.append(contentsOf: value.utf8)
        var place = start
        while place + 8 <= bytes.count, !Self.needsEscape(bytes.word(at: place)) { place += 8 }
        while place < bytes.count, !Self.needsEscape(bytes[place]) { place += 1 }
        if place < bytes.count {
            bytes.removeLast(bytes.count - start)
            escaped(value)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Whether one of eight bytes needs an escape.
    private static func needsEscape(_ word: UInt64) -> Bool {
        word.controls | word.positions(of: UInt8(ascii: "\""))
            | word.positions(of: UInt8(ascii: "\\")) != 0
    }

    private mutating func escaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case 0x0D: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
            case 0x09: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(HexDigit.upper(byte >> 4))
                bytes.append(HexDigit.upper(byte))
            default: bytes.append(byte)
            }
        }
    }
}
