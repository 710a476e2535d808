// SPDX-License-Identifier: Apache-2.0

/// Texts that RFC 8259 makes every parser of JSON accept or refuse, by the section that says so.
///
/// Each parser of the package is tested with all of them.
package enum JSONRules {
    /// A section of RFC 8259 with texts for or against it.
    package struct Rule: CustomStringConvertible, Sendable {
        package let section: String
        package let texts: [[UInt8]]

        init(_ section: String, _ texts: [String]) {
            self.section = section
            self.texts = texts.map { Array($0.utf8) }
        }

        init(_ section: String, bytes: [[UInt8]]) {
            self.section = section
            texts = bytes
        }

        package var description: String { section }
    }

    private static let spaces = [" ", "\t", "\n", "\r", " \t\r\n "]
    private static let others = [
        "\u{B}", "\u{C}", "\u{85}", "\u{A0}", "\u{2028}", "\u{FEFF}", "\0",
    ]
    private static let structures = ["[", "]", "{", "}", ":", ","]
    private static let document = #"{"a":[1,-2.5e+3,true,null],"b":{"":"\u00e9\n"},"c":[]}"#

    package static let accepted = [
        Rule("2: white space around every token", spaces.map { document.apart(by: $0) }),
        Rule("3: any value is a text", ["null", "true", "false", "0", "\"\"", "[]", "{}"]),
        Rule(
            "4: objects",
            [
                "{}", "{ }", #"{"":0}"#, #"{"a":0,"b":1}"#, #"{"a":{"a":{"a":{}}}}"#,
                #"{"a":1,"a":2}"#, #"{"\u0061\"":[]}"#, "{\"\u{1F600}\":null}",
            ]),
        Rule(
            "5: arrays",
            ["[]", "[ ]", "[[],[[]]]", #"[0,"1",true,null,{},[]]"#, "[[[[[[[[]]]]]]]]"]),
        Rule(
            "6: numbers",
            [
                "0", "-0", "7", "-7", "10", "0.0", "-0.0", "0.10", "1.5", "0e0", "0E+0", "0e-0",
                "1e5", "1E5", "1e+5", "1e-5", "1e05", "1.5e00", "123456789012345678901234567890",
                "0.0000000000000000000000000000001", "1e400", "-1e-400",
                String(repeating: "9", count: 1_000), "0." + String(repeating: "1", count: 1_000),
            ]),
        Rule(
            "7: strings",
            [
                #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\uABCD\uabcd\uAbCd""#,
                #""\ud834\udd1e""#, #""\uD834\uDD1E""#, "\"\u{7F}\"", "\"\u{80}\u{9F}\"",
                "\"\u{2028}\u{2029}\"", "\"\u{FEFF}\"", "\"\u{FFFE}\u{FFFF}\"", "\"\u{10FFFF}\"",
                "\"\u{1F469}\u{200D}\u{1F4BB}\"", #""\\u0041""#, #""\"""#, "\"/\"", "\"a'b\"",
            ]),
        Rule(
            "7: a character may be escaped",
            (0x20...0x7E).map { code in
                let digits = String(code, radix: 16)
                return "\"\\u" + String(repeating: "0", count: 4 - digits.count) + digits + "\""
            }),
    ]

    package static let refused = [
        Rule(
            "2: nothing else is white space", others.flatMap { [$0 + "1", "1" + $0, "[1,\($0)2]"] }),
        Rule("2: one value", ["", " ", "1 1", "[][]", "{}1", #"""#, #"1,"#, #",1"#, "1;", "[] ]"]),
        Rule("2: a lone structural character is no value", structures),
        Rule(
            "3: literals are in lower case and whole",
            [
                "True", "TRUE", "tru", "truee", "False", "fals", "falsee", "Null", "nul", "nulll",
                "nil", "undefined", "NaN", "Infinity", "-Infinity", "n ull", "t\u{0}rue",
            ]),
        Rule(
            "4: objects",
            [
                "{a:1}", "{'a':1}", "{1:1}", #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#, #"{"a"::1}"#,
                #"{"a",1}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1,,"b":2}"#, #"{"a":1 "b":2}"#,
                #"{"a":1;"b":2}"#, "{,}", "{:1}", "{null:1}", #"{"a":1"#, #"{"a":1]"#,
                #"{["a"]:1}"#,
            ]),
        Rule(
            "5: arrays",
            ["[1,]", "[,1]", "[1,,2]", "[,]", "[1 2]", "[1:2]", "[1;2]", "[1", "[", "[1}", "]1["]),
        Rule(
            "6: numbers",
            [
                "+1", "-", "--1", "-+1", "01", "-01", "00", "1.", "-1.", ".1", "-.1", "1.e1", "1e",
                "1e+", "1e-", "1E", "1ee1", "1e1.5", "1.2.3", "0x10", "0b1", "0o7", "1_000", "1a",
                "- 1", "1 .5", "1e 5", "\u{FF11}", "\u{0661}", "1\u{0}", "e5", "0e", "-e1", "1/2",
            ]),
        Rule(
            "7: no control character stands in a string as it is",
            bytes: (0x00...0x1F as ClosedRange<UInt8>).flatMap { byte in
                [[0x22, byte, 0x22], Array(#"{"a"#.utf8) + [byte] + Array(#"":1}"#.utf8)]
            }),
        Rule(
            "7: no other character is escaped by a backslash",
            bytes: (0x20...0x7E as ClosedRange<UInt8>)
                .filter { !#""\/bfnrtu"#.utf8.contains($0) }
                .map { [0x22, 0x5C, $0, 0x22] }),
        Rule(
            "7: four hexadecimal digits follow an escaped u",
            [
                #""\u""#, #""\u1""#, #""\u12""#, #""\u123""#, #""\ug000""#, #""\u0g00""#,
                #""\u00g0""#, #""\u000g""#, #""\u+041""#, #""\u 041""#, #""\u00 41""#, #""\U0041""#,
                #""\u{41}""#, #""\x41""#, "\"\\u00\u{E9}\"",
            ]),
        Rule(
            "7: quotation marks",
            [
                "'a'", "\u{201C}a\u{201D}", "`a`", "a", #"""#, #""a"#, #"a""#, #""a\""#, #"""a""#,
                #""a"b""#,
            ]),
        Rule(
            "9: a comment is no white space",
            ["//\n1", "1//", "/**/1", "[1/**/]", "#\n1", "<!---->1"]),
        Rule(
            "8.1: UTF-8",
            bytes: [
                [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80],
                [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
                [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
                [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
                [0xFE], [0xFF], [0xE9],
            ].flatMap { [[0x22] + $0 + [0x22], [0x5B] + $0 + [0x5D], $0] }),
        Rule(
            "8.1: other encodings",
            bytes: [
                [0xFF, 0xFE, 0x31, 0x00], [0xFE, 0xFF, 0x00, 0x31], [0x31, 0x00], [0x00, 0x31],
                [0xEF, 0xBB, 0xBF, 0x31],
            ]),
        Rule(
            "2: no beginning of an object, an array or a string is whole",
            bytes: [document, #"["a",{"b":[0]}]"#, #""\u00e9\\é""#].flatMap { text in
                (0..<text.utf8.count).map { Array(text.utf8.prefix($0)) }
            }),
    ]
}

extension String {
    /// Puts a text around each structural character outside of strings, and at both ends.
    fileprivate func apart(by space: String) -> String {
        var result = space
        var isInString = false
        for letter in self {
            if letter == "\"" { isInString.toggle() }
            let isStructural = !isInString && "[]{}:,".contains(letter)
            result += isStructural ? space + String(letter) + space : String(letter)
        }
        return result + space
    }
}
