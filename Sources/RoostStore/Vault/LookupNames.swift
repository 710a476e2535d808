// SPDX-License-Identifier: Apache-2.0

internal import RoostSealing

/// The kind of a name; equal names of two kinds have unrelated hashes.
package enum NameKind: UInt8, Sendable {
    case channelURL = 1
    case userID = 2
    case customType = 3
    case filter = 4
    case application = 5
    case requestID = 6
}

/// 128 bits of a keyed hash; among a billion names two collide with a probability of 10⁻²⁰.
package struct NameHash: Equatable, Sendable {
    let high: Int64
    let low: Int64

    /// The hash in a column of texts: 22 letters, digits, `-` and `_` (base64url).
    package var text: String {
        let alphabet = Self.alphabet
        // SAFETY: 22 letters of six bits hold the 128, and fit the capacity.
        return unsafe String(unsafeUninitializedCapacity: 22) { target in
            var (high, low) = (UInt64(bitPattern: high), UInt64(bitPattern: low))
            for index in 0..<22 {
                unsafe target[index] = alphabet[Int(high >> 58)]
                high = high << 6 | low >> 58
                low <<= 6
            }
            return 22
        }
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values = Dictionary(
        uniqueKeysWithValues: alphabet.enumerated().map { ($1, UInt64($0)) })
}

extension NameHash {
    /// Reads `text` back; nil for anything else.
    init?(text: String) {
        guard text.utf8.count == 22 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for (index, byte) in text.utf8.enumerated() {
            guard let value = Self.values[byte] else { return nil }
            // Four bits of the last digit are unused and zero, so each hash has exactly one text.
            guard index < 21 || value & 0xF == 0 else { return nil }
            // The last of 22 digits has only two significant bits.
            let count: UInt64 = index == 21 ? 2 : 6
            high = high << count | low >> (64 - count)
            low = low << count | value >> (6 - count)
        }
        self.init(high: Int64(bitPattern: high), low: Int64(bitPattern: low))
    }
}

/// The keyed hashes of names, for look-ups in a sealed database.
///
/// Without the key the hashes reveal only the number of names and which rows share one. Hashes have
/// no order of names: a page ordered by name is ordered by hash.
package struct LookupNames: Sendable {
    private let keyed: KeyedHash

    init(keyed: KeyedHash) { self.keyed = keyed }

    /// Returns the hash of a name.
    package func hash(_ name: String, _ kind: NameKind) -> NameHash {
        let code = keyed.code(for: [kind.rawValue] + Array(name.utf8))
        return NameHash(
            high: Int64(bitPattern: code[..<8].bigEndianNumber),
            low: Int64(bitPattern: code[8..<16].bigEndianNumber))
    }

    /// Returns 64 bits for `message.request_key`.
    package func requestKey(_ requestID: String) -> Int64 { hash(requestID, .requestID).high }
}

extension ArraySlice<UInt8> {
    fileprivate var bigEndianNumber: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}
