// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostTestSupport
import Testing

/// Canonically equal texts, by the system's Unicode, which the library does not use.
struct EqualTextTests {
    private static func isSegmentedAlike(_ text: String, _ other: String) -> Bool {
        SegmentedText.segmented(text).utf8.elementsEqual(SegmentedText.segmented(other).utf8)
    }

    /// The tokenizer folds Latin letters; `SearchHitsTests` has a test with it.
    private static let ranges: [ClosedRange<UInt32>] = [
        0x01E0...0x01E3, 0x0300...0x1DFF, 0x1F00...0xD7FF, 0xE000...0xFFFF, 0x11000...0x11FFF,
        0x1D100...0x1D1FF, 0x2F800...0x2FA1D,
    ]

    @Test func `a character and its canonical decomposition are segmented alike`() {
        var count = 0
        for scalar in Self.ranges.joined().compactMap(Unicode.Scalar.init) {
            let text = String(scalar)
            let decomposed = text.decomposedStringWithCanonicalMapping
            guard !text.unicodeScalars.elementsEqual(decomposed.unicodeScalars) else { continue }
            // Tables of a system may know characters that are newer than ours.
            if scalar.value > 0xFFFF, (scalar.properties.age ?? (99, 0)) > (14, 0) { continue }
            count += 1
            #expect(
                Self.isSegmentedAlike(text, decomposed), "U+\(String(scalar.value, radix: 16))")
            #expect(Self.isSegmentedAlike("и\(text)क", "и\(decomposed)क"))
        }
        #expect(count > 12_000)
    }

    @Test(arguments: [
        ("\u{627}\u{654}", "\u{623}"), ("\u{95C}", "\u{921}\u{93C}"),
        ("\u{9DC}", "\u{9A1}\u{9BC}"), ("\u{BC6}\u{BBE}", "\u{BCA}"),
        ("\u{433}\u{301}", "\u{453}"), ("\u{1F75}", "\u{3AE}"), ("\u{F90A}", "\u{91D1}"),
        // Marks in another order.
        ("\u{915}\u{94D}\u{93C}", "\u{958}\u{94D}"), ("ก\u{E48}\u{E38}", "ก\u{E38}\u{E48}"),
        ("и\u{323}\u{306}", "й\u{323}"), ("\u{627}\u{64E}\u{654}", "\u{623}\u{64E}"),
    ])
    func `forms of one text are segmented alike`(text: String, other: String) {
        #expect(text == other)
        #expect(Self.isSegmentedAlike(text, other))
    }

    @Test(arguments: [
        ("й", "и"), ("ї", "і"), ("ѓ", "г"), ("ӣ", "и"), ("が", "か"), ("\u{95C}", "\u{921}"),
        ("\u{BCA}", "\u{BC6}"), ("\u{9DF}", "\u{9AF}"),
    ])
    func `letters of an alphabet differ from those without their mark`(
        letter: String, other: String
    ) {
        #expect(!Self.isSegmentedAlike(letter, other))
        #expect(
            !Self.isSegmentedAlike(
                letter.decomposedStringWithCanonicalMapping,
                other.decomposedStringWithCanonicalMapping))
    }

    @Test(arguments: [
        ("أحمد", "احمد"), ("قرآن", "قران"), ("مسؤول", "مسوول"), ("ѐ", "е"), ("ᾠδή", "ωδη"),
        ("\u{FB2A}", "ש"), ("\u{212A}", "K"),
    ])
    func `accents that many people leave out do not count in either form`(
        text: String, plain: String
    ) {
        #expect(SegmentedText.segmented(text) == plain)
        #expect(SegmentedText.segmented(text.decomposedStringWithCanonicalMapping) == plain)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `random texts are segmented as their normal forms, and every part has a place`(
        seed: UInt64
    ) {
        let letters: [UInt32] = [
            0x438, 0x439, 0x435, 0x451, 0x4E3, 0x443, 0x3B1, 0x1F81, 0x915, 0x95C, 0x9C7, 0xBC6,
            0xBCA, 0xCC6, 0xCCB, 0xDDD, 0x627, 0x622, 0xE01, 0xF40, 0x1100, 0x1161, 0x11A8, 0xAC00,
            0x304B, 0x304C, 0x30F0, 0xFF76, 0x1025, 0x2260, 0x200D, 0x20,
        ]
        let marks: [UInt32] = [
            0x300, 0x301, 0x304, 0x306, 0x308, 0x323, 0x345, 0x338, 0x344, 0x483, 0x64B, 0x653,
            0x654, 0x655, 0x93C, 0x94D, 0x9BE, 0xBBE, 0xC56, 0xCC2, 0xCD5, 0xDCA, 0xDCF, 0xE38,
            0xE48, 0xF71, 0xF72, 0xF73, 0xF74, 0xF80, 0x3099, 0x309A, 0xFF9E, 0x102E, 0x1DFA,
            0x20D2,
        ]
        var random = SplitMix64(seed: seed)
        for _ in 0..<3_000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<(1 + random.next() % 8) {
                let pool = random.next() % 3 == 0 ? letters : marks
                let code = pool[Int(random.next() % UInt64(pool.count))]
                scalars.append(contentsOf: Unicode.Scalar(code).map { [$0] } ?? [])
            }
            let text = String(scalars)
            let names = scalars.map { String($0.value, radix: 16) }.joined(separator: " ")
            for form in [
                text.decomposedStringWithCanonicalMapping,
                text.precomposedStringWithCanonicalMapping,
            ] {
                #expect(Self.isSegmentedAlike(text, form), "\(names)")
            }
            let segmented = SegmentedText(text)
            for start in segmented.bytes.indices {
                for end in (start + 1)...segmented.bytes.count {
                    let origin = segmented.origin(of: start..<end)
                    #expect(origin.upperBound <= text.utf8.count, "\(names)")
                }
            }
        }
    }
}
