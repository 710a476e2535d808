// SPDX-License-Identifier: Apache-2.0

import RoostSealing

/// Returns bytes from hexadecimal digits as standards print them, with or without spaces.
func hex(_ digits: String) -> [UInt8] {
    let digits = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
}

extension Sealer {
    convenience init(_ key: [UInt8], number: UInt32 = 1) {
        self.init(key: SecretBytes(copying: key.span), number: number)
    }

    func sealed(_ bytes: [UInt8], at place: SealPlace) -> [UInt8] {
        var buffer: [UInt8] = []
        seal(into: &buffer, at: place) { $0.append(contentsOf: bytes) }
        return buffer
    }

    func opened(_ bytes: [UInt8], at place: SealPlace) throws(SealError) -> [UInt8] {
        var buffer: [UInt8] = [0xFF]
        try open(bytes.span, at: place, into: &buffer)
        return buffer
    }
}

extension SecretBytes {
    var bytes: [UInt8] {
        // SAFETY: the bytes are copied.
        unsafe withBytes { unsafe Array($0) }
    }
}
