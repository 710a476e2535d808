// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import RoostTestSupport
import Testing

/// The kit's own reading of JSON.
struct JSONTests {
    @Test func `a value is read as it stands`() throws {
        let value = try JSON(parsing: #" {"a":[1,-2,true,null,"x"],"b":{"c":1.5e3},"b2":0} "#)
        #expect(value["a"] == .list([1, -2, true, .null, "x"]))
        #expect(value["b"]["c"] == .number("1.5e3"))
        #expect(value["none"]["deep"][3] == .missing)
        #expect(try JSON(parsing: "9223372036854775808") == .number("9223372036854775808"))
        #expect(try JSON(parsing: "-9223372036854775808") == .int(.min))
    }

    @Test func `escapes are characters, and the last value of a repeated name counts`() throws {
        #expect(try JSON(parsing: #""\u00e9\ud83d\ude00\n\/\"""#) == .text("é😀\n/\""))
        #expect(try JSON(parsing: #"{"a":1,"a":2}"#) == ["a": 2])
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "-", "1.", "1e", "+1", "tru",
        "\"a", "\"\u{1}\"", #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#,
        "1 2", "nul", "[1 2]", #"{"a":1 "b":2}"#,
    ])
    func `a text that is no JSON is refused`(text: String) {
        #expect(throws: JSON.Fault.self) { _ = try JSON(parsing: text) }
    }

    @Test func `bytes that are no UTF-8 and values without end are refused`() {
        #expect(throws: JSON.Fault.self) { _ = try JSON(parsing: [0x22, 0xFF, 0x22]) }
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(throws: JSON.Fault.self) { _ = try JSON(parsing: deep) }
    }

    @Test func `a value is written so that it is read again`() throws {
        let value: JSON = [
            "text": "\"\\\n\u{1}é😀", "list": [1, true, .null], "object": ["a": .number("1.5")],
        ]
        #expect(try JSON(parsing: value.description) == value)
    }

    @Test(arguments: JSONRules.accepted)
    func `what RFC 8259 allows is accepted`(rule: JSONRules.Rule) {
        for bytes in rule.texts {
            #expect((try? JSON(parsing: bytes)) != nil, "\(bytes)")
        }
    }

    @Test(arguments: JSONRules.refused)
    func `what RFC 8259 forbids is refused`(rule: JSONRules.Rule) {
        for bytes in rule.texts {
            #expect((try? JSON(parsing: bytes)) == nil, "\(bytes)")
        }
    }
}
