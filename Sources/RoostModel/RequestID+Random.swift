// SPDX-License-Identifier: Apache-2.0

extension RequestID {
    /// Whether the ID has the form of a random one; an app may choose IDs of another form.
    package var isRandom: Bool {
        rawValue.utf8.count == 32
            && rawValue.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Makes an unused request ID: 128 random bits in hexadecimal.
    package static func random(_ entropy: () -> UInt64) -> RequestID {
        let words = (entropy(), entropy())
        return RequestID(
            // SAFETY: all 32 bytes are written.
            unsafe String(unsafeUninitializedCapacity: 32) { text in
                for place in 0..<32 {
                    let word = place < 16 ? words.0 : words.1
                    let digit = UInt8(truncatingIfNeeded: word >> (60 - place % 16 * 4)) & 0xF
                    // Ten places behind "W" the small letters begin.
                    unsafe text[place] = digit + UInt8(ascii: digit < 10 ? "0" : "W")
                }
                return 32
            })
    }
}
