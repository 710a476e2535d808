// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
    /// Whether the character has no picture or turns the direction of text, but is no control
    /// character.
    ///
    /// Such characters let a text of a stranger look like another one. Joiners (U+200C and U+200D)
    /// are not among them, because Persian, Indic scripts and emoji need them.
    package var isHidden: Bool {
        switch value {
        // Marks of direction, embeddings, overrides and isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // Separators of lines, spaces without width, and a joiner that hides between words.
        case 0x2028, 0x2029, 0x200B, 0x2060...0x2064, 0xFEFF, 0x00AD: true
        // Tags, and places of no character.
        case 0xE0000...0xE007F, 0xFFF9...0xFFFB, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}
