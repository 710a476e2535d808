// SPDX-License-Identifier: Apache-2.0

import RoostSockets

/// The fingerprint of a table's rows, which does not depend on their order.
///
/// A row goes into the bucket of its key, as the sum of the SHA-256 of all rows in it. So two
/// tables can be compared without their rows, and a difference is looked for in a part of them.
struct TableSum: Equatable, Sendable {
    static let bucketCount = 1_024
    private static let lanes = 4

    private(set) var count = 0
    private var sums = [UInt64](repeating: 0, count: bucketCount * lanes)

    mutating func add(_ row: [ImportValue], of copy: TableCopy) {
        count += 1
        let bucket = copy.bucket(of: copy.keyBytes(row))
        let digest = copy.digest(row)
        for lane in 0..<Self.lanes {
            var word: UInt64 = 0
            for byte in digest[(lane * 8)..<(lane * 8 + 8)] { word = word << 8 | UInt64(byte) }
            sums[bucket * Self.lanes + lane] &+= word
        }
    }

    /// The buckets with different rows.
    func differences(from other: TableSum) -> [Int] {
        (0..<Self.bucketCount).filter { bucket in
            let range = (bucket * Self.lanes)..<((bucket + 1) * Self.lanes)
            return sums[range] != other.sums[range]
        }
    }

    /// The fingerprint as 64 hexadecimal digits.
    var fingerprint: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sums.count * 8)
        for sum in sums {
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: sum >> shift))
            }
        }
        return Digest.hex(Digest.sha256(bytes))
    }
}

extension TableCopy {
    /// The bytes that name a row.
    func keyBytes(_ row: [ImportValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        for place in key { row[place].append(to: &bytes) }
        return bytes
    }

    func bucket(of key: [UInt8]) -> Int {
        // FNV-1a with 64 bits.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) % UInt64(TableSum.bucketCount))
    }

    /// The SHA-256 of a row.
    func digest(_ row: [ImportValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        for value in row { value.append(to: &bytes) }
        return Digest.sha256(bytes)
    }
}
