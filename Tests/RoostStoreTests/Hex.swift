// SPDX-License-Identifier: Apache-2.0

/// Frozen bytes in the notation of the tests.
extension [UInt8] {
    var hex: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0\(digits)" : digits
        }.joined()
    }

    /// Reads pairs of digits; other characters, such as a space between two fields, are ignored.
    init(hex: String) {
        let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        self = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] * 16 + digits[$0 + 1])
        }
    }
}
