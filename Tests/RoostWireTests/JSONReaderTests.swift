// SPDX-License-Identifier: Apache-2.0

import RoostWire
import Testing

struct JSONReaderTests {
    @Test(arguments: [
        "null", "true", " false ", "0", "-0", "1", "-1.5e-7", "1E+2", #""""#, #""a\"b""#, "[]",
        "[1,[2]]",
        "{}", #"{"a":{"b":[null]}}"#, "\t[\r\n1 ,2 ]\n", #""\u0041\ud83d\ude00""#, #""\ud83d""#,
        #""\/""#,
        "9223372036854775808", #"{"a":1,"a":2}"#, "\"\u{7F}\"", #"{"":0}"#,
    ])
    func `well-formed text is accepted`(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(try JSONValue(parsing: value.text) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "True", "truee", "+1", "01", "-", "1.", ".5", "1e", "1e+", "0x1", "NaN",
        "'a'",
        #"""#, #""\x""#, #""\u12"#, #""\u12g4""#, "\"a\nb\"", "\"\t\"", "[", "]", "[1,]", "[,1]",
        "[1 2]",
        "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "{1:1}", #"{"a":1 "b":2}"#, "1 2",
        "[1]]", "//",
        "[1,2", #"{"a":1"#, "\u{FEFF}1", "-01", "--1", "[-]", #""\"#,
    ])
    func `malformed text is refused`(text: String) {
        #expect(throws: WireError.self) { try JSONValue(parsing: text) }
    }

    @Test(
        arguments: [
            ([0x22, 0x80, 0x22], 1), ([0x22, 0xC0, 0xAF, 0x22], 1),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0x61, 0xF4, 0x90, 0x80, 0x80, 0x22], 2), ([0x22, 0xE2, 0x82], 1), ([0xFF], 0),
            ([0x22, 0xE0, 0x80, 0x80, 0x22], 1), ([0x22, 0xF0, 0x9F, 0x98, 0x22, 0x22], 1),
        ] as [([UInt8], Int)])
    func `bytes that are not UTF-8 are refused at their offset`(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: WireError.self) { try JSONValue(parsing: bytes) }
        #expect(error?.offset == offset)
        #expect(error?.kind == .malformed)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0e5", 0), ("1.0", 1), ("1e3", 1000), ("12300e-2", 123),
            ("1.5e1", 15),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("0e999999999999", 0),
            ("922337203685477580.7e1", .max), ("9007199254740993", 9_007_199_254_740_993),
            ("0.000001e6", 1), ("1000000000000000000000e-3", 1_000_000_000_000_000_000),
        ] as [(String, Int64)])
    func `a whole number decodes exactly in every spelling`(text: String, value: Int64) throws {
        var reader = JSONReader(text)
        #expect(try reader.readInt64() == value)
        try reader.finish()
    }

    @Test(arguments: [
        "1.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e999999999999",
        "9223372036854775807.5", "0.1", "92233720368547758070e-2",
    ])
    func `a number that is not whole or does not fit is refused`(text: String) {
        var reader = JSONReader(text)
        let error = #expect(throws: WireError.self) { try reader.readInt64() }
        #expect(error?.kind == .outOfRange)
    }

    @Test(arguments: [
        (#""\ud83d\ude00""#, "😀"), (#""\uD83D""#, "\u{FFFD}"), (#""\ude00x""#, "\u{FFFD}x"),
        (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
        (#""\b\f\n\r\t\/\\\"""#, "\u{8}\u{C}\n\r\t/\\\""), (#""\u0000é""#, "\0é"),
    ])
    func `escapes decode to their characters`(text: String, expected: String) throws {
        var reader = JSONReader(text)
        #expect(try reader.readString() == expected)
        try reader.finish()
    }

    @Test
    func `nesting is accepted up to the limit`() throws {
        let limit = JSONReader.depthLimit
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSONValue(parsing: nested(limit))
        let error = #expect(throws: WireError.self) { try JSONValue(parsing: nested(limit + 1)) }
        #expect(error?.kind == .tooDeep)
        var reader = JSONReader(String(repeating: "[", count: 1_000_000))
        #expect(throws: WireError.self) { try reader.skipValue() }
    }

    @Test
    func `the later value of a repeated name counts`() throws {
        #expect(try JSONValue(parsing: #"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
    }

    @Test
    func `the text of a skipped value loses its line breaks only`() throws {
        var reader = JSONReader("[ {\n \"a\" :\r\n \"x\\ny\" } , 2]")
        var texts: [String] = []
        try reader.readArray { reader throws(WireError) in texts.append(try reader.readRaw()) }
        #expect(texts == [#"{ "a" : "x\ny" }"#, "2"])
    }

    @Test(
        arguments: [
            (#""True""#, true), ("true", true), ("1", true), (#""false""#, false), ("0", false),
            ("null", nil),
            (#""""#, nil),
        ] as [(String, Bool?)])
    func `Booleans decode from clients' spelling`(text: String, value: Bool?) throws {
        var reader = JSONReader(text)
        #expect(try reader.readBoolIfPresent() == value)
    }

    @Test(
        arguments: [("\"12\"", 12), ("12", 12), ("\"\"", nil), ("null", nil), ("\"-3\"", -3)]
            as [(String, Int64?)])
    func `numbers decode from clients' spelling`(text: String, value: Int64?) throws {
        var reader = JSONReader(text)
        #expect(try reader.readInt64IfPresent() == value)
    }

    @Test(arguments: ["\"a\"", "\" 1\"", "\"1x\"", "[]", "true", "\"\\\"1\\\"\""])
    func `a text that is no number in any spelling is refused`(text: String) {
        var reader = JSONReader(text)
        #expect(throws: WireError.self) { try reader.readInt64IfPresent() }
    }

    @Test
    func `an error names its place`() throws {
        let text =
            #"{"messages":[{"type":"MESG","message_id":1,"created_at":1,"channel_url":"c"},"#
            + #"{"type":"MESG","message_id":2,"created_at":"soon"}]}"#
        var reader = JSONReader(text)
        let error = #expect(throws: WireError.self) { try ListMessages.read(&reader) }
        #expect(error?.path == "messages[1].created_at")
        #expect(error?.kind == .wrongType(expected: .number))
        #expect(
            error?.offset == Array(text.utf8).firstRange(of: Array("\"soon\"".utf8))?.lowerBound)
    }

    @Test
    func `an error in a list of lists names every index`() {
        let error = #expect(throws: WireError.self) {
            var reader = JSONReader(#"{"a":[[0],[0,"x"]]}"#)
            try reader.readObject { _, reader throws(WireError) in
                try reader.readArray { reader throws(WireError) in
                    try reader.readArray { reader throws(WireError) in _ = try reader.readInt64() }
                }
            }
        }
        #expect(error?.path == "a[1][1]")
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `any value survives encoding`(seed: UInt64) throws {
        var samples = Samples(seed: seed)
        let value = samples.value(depth: 5)
        #expect(try JSONValue(parsing: value.text) == value)
        #expect(!value.text.utf8.contains(UInt8(ascii: "\n")))
    }
}
