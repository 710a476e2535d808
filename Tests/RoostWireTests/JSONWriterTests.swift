// SPDX-License-Identifier: Apache-2.0

import RoostWire
import Testing

struct JSONWriterTests {
    @Test(arguments: 0..<40)
    func `a character that needs an escape is found at every place of a text`(place: Int) throws {
        for character in ["\"", "\\", "\n", "\u{0}", "\u{1F}", " ", "!", "\u{7F}", "\u{80}", "é"] {
            let text =
                String(repeating: "a", count: place) + character
                + String(repeating: "ß", count: 40 - place)
            var writer = JSONWriter()
            writer.string(text)
            #expect(writer.bytes.allSatisfy { $0 >= 0x20 })
            var reader = JSONReader(writer.text)
            let read = try reader.readString()
            #expect(read == text)
        }
    }
}
