// SPDX-License-Identifier: Apache-2.0

import RoostWire
import Testing

struct JSONValueTests {
    /// The place of an object's fields in memory.
    private static func storage(of value: JSONValue) -> UInt {
        guard case .object(let fields) = value else { return 0 }
        // SAFETY: the address is compared, never read.
        return unsafe fields.withUnsafeBufferPointer { fields in
            UInt(bitPattern: fields.baseAddress)
        }
    }

    @Test func `a changed field leaves the other fields where they are`() {
        var value: JSONValue = ["a": 1, "b": 2]
        let before = Self.storage(of: value)
        value["a"] = 3
        value["b"] = nil
        #expect(value == ["a": 3])
        #expect(Self.storage(of: value) == before)
    }

    @Test func `a setter turns a value of another kind into an object`() {
        var value: JSONValue = ["a", "b"]
        value["c"] = 1
        #expect(value == ["c": 1])
        value = 7
        value.merge([JSONValue.Field("d", 2)])
        #expect(value == ["d": 2])
    }

    @Test func `merged fields replace those of their names, and new ones come behind`() {
        var value: JSONValue = ["a": 1, "b": 2, "c": 3]
        value.merge([
            JSONValue.Field("d", 4), JSONValue.Field("b", 5), JSONValue.Field("d", 6),
        ])
        #expect(value == ["a": 1, "b": 5, "c": 3, "d": 6])
    }

    @Test func `canonically equivalent names are different fields`() throws {
        let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
        var value = try JSONValue(parsing: #"{"\#(composed)":1,"\#(decomposed)":2}"#)
        #expect(value[composed] == 1 && value[decomposed] == 2)
        value[decomposed] = 3
        value.merge([JSONValue.Field(composed, 4)])
        #expect(value[composed] == 4 && value[decomposed] == 3)
        value[composed] = nil
        #expect(value[composed] == nil && value[decomposed] == 3)
        // Names of one length whose marks have another order.
        value = ["a\u{323}\u{307}": 1]
        #expect(value["a\u{307}\u{323}"] == nil)
    }
}
