// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostChat

struct ControlSequenceTests {
    /// Takes characters up to one that belongs to no sequence; returns the rest.
    private static func read(_ text: String) -> (sequence: ControlSequence, rest: String) {
        var sequence = ControlSequence()
        var rest = text.unicodeScalars[...]
        while let next = rest.first, sequence.take(next) { rest.removeFirst() }
        return (sequence, String(rest))
    }

    @Test(
        arguments: [
            ("1~", .home), ("F", .end), ("A", .up), ("13;2u", .newLine), ("27;5;13~", .newLine),
            ("57399u", nil), ("?1;2c", nil), ("1;6P", nil),
        ] as [(String, Key?)])
    func `the characters of a key are read to its end, whether or not it has a meaning`(
        text: String, key: Key?
    ) {
        let (sequence, rest) = Self.read(text + "words")
        #expect(sequence.isWhole && sequence.text == text && rest == "words")
        #expect(sequence.key == key)
    }

    @Test(arguments: [("", ""), ("é", "é"), ("12\n", "\n"), ("1é~", "é~")])
    func `a character of no sequence ends the reading, and is left`(text: String, rest: String) {
        let read = Self.read(text)
        #expect(!read.sequence.isWhole && read.sequence.key == nil && read.rest == rest)
    }

    @Test func `a sequence without an end is cut`() {
        let read = Self.read(String(repeating: "1", count: 100))
        #expect(read.sequence.text.count == ControlSequence.maxLength)
        #expect(!read.sequence.isWhole && read.rest.count == 100 - ControlSequence.maxLength)
    }
}
