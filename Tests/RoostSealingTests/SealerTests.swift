// SPDX-License-Identifier: Apache-2.0

import RoostSealing
import RoostTestSupport
import Testing

struct SealerTests {
    private let place = SealPlace(kind: 1, 17, 1_700_000_000_000, 99)
    private let words = Array("Meet me at the harbour at nine.".utf8)

    @Test func `sealed bytes open again at any length`() throws {
        let sealer = Sealer([UInt8].random(count: 32))
        for count in [0, 1, 15, 16, 17, 600, 100_000] {
            let bytes: [UInt8] = .random(count: count)
            let sealed = sealer.sealed(bytes, at: place)
            #expect(sealed.count == count + SealedForm.overhead)
            #expect(try sealer.opened(sealed, at: place) == bytes)
        }
    }

    @Test func `the sealed form equals that of another program, so that it never changes (R136)`()
        throws
    {
        // AESGCM of Python's `cryptography`, under the key 00 01 … 1f and the nonce 40 41 … 4b.
        let sealed = hex(
            "81 04030201 404142434445464748494a4b aadcc24f4910a771a2ab6442"
                + "aab3caffb473fcdfd082ea9e8354bab8")
        let sealer = Sealer([UInt8](0..<32), number: 0x0102_0304)
        #expect(
            try sealer.opened(sealed, at: SealPlace(kind: 7, 1, -2, 3))
                == Array("Hello, roost".utf8))
    }

    @Test func `a flipped bit is refused, and no plaintext is returned`() {
        let sealer = Sealer([UInt8].random(count: 32))
        let sealed = sealer.sealed(words, at: place)
        for bit in 0..<(sealed.count * 8) {
            var broken = sealed
            broken[bit / 8] ^= 1 << (bit % 8)
            var buffer: [UInt8] = [1, 2, 3]
            #expect(throws: SealError.self, "bit \(bit)") {
                try sealer.open(broken.span, at: place, into: &buffer)
            }
            #expect(buffer.isEmpty)
        }
    }

    @Test func `shortened bytes are refused at every length`() {
        let sealer = Sealer([UInt8].random(count: 32))
        let sealed = sealer.sealed(words, at: place)
        for count in 0..<sealed.count {
            #expect(throws: SealError.self, "\(count) bytes") {
                try sealer.opened(Array(sealed.prefix(count)), at: place)
            }
        }
    }

    @Test func `bytes moved to another row, table or key are refused`() {
        let key: [UInt8] = .random(count: 32)
        let sealer = Sealer(key)
        let sealed = sealer.sealed(words, at: place)
        for other in [
            SealPlace(kind: 2, 17, 1_700_000_000_000, 99),
            SealPlace(kind: 1, 17, 1_700_000_000_000),
            SealPlace(kind: 1, 18, 1_700_000_000_000, 99),
            SealPlace(kind: 1, 17, 1_700_000_000_001, 99),
        ] {
            #expect(throws: SealError.forged) { try sealer.opened(sealed, at: other) }
        }
        #expect(throws: SealError.forged) {
            try Sealer([UInt8].random(count: 32)).opened(sealed, at: place)
        }
        #expect(throws: SealError.otherKey(1)) {
            try Sealer(key, number: 2).opened(sealed, at: place)
        }
    }

    @Test func `plain bytes and bytes of a later form have errors of their own`() {
        let sealer = Sealer([UInt8].random(count: 32))
        var later = sealer.sealed(words, at: place)
        later[0] = 0x82
        #expect(throws: SealError.version(0x82)) { try sealer.opened(later, at: place) }
        #expect(throws: SealError.notSealed) { try sealer.opened([1, 2, 3], at: place) }
        #expect(throws: SealError.notSealed) { try sealer.opened([], at: place) }
        let (isSealed, isClear) = (
            SealedForm.isSealed(later.span), !SealedForm.isSealed(words.span)
        )
        #expect(isSealed && isClear)
    }

    @Test func `sealing keeps the buffer's earlier contents, and a nonce never repeats`() throws {
        let sealer = Sealer([UInt8].random(count: 32))
        var buffer = words
        sealer.seal(into: &buffer, at: place) { $0.append(contentsOf: words) }
        #expect(Array(buffer.prefix(words.count)) == words)
        #expect(try sealer.opened(Array(buffer.dropFirst(words.count)), at: place) == words)
        let nonces = (0..<10_000).map { _ in Array(sealer.sealed([], at: place)[5..<17]) }
        #expect(Set(nonces).count == nonces.count)
    }

    @Test func `threads that share a sealer do not corrupt each other's results`() async throws {
        let sealer = Sealer([UInt8].random(count: 32))
        let failures = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<500).count { index in
                        let place = SealPlace(kind: 1, Int64(task), Int64(index))
                        let bytes = [UInt8](repeating: UInt8(task), count: index)
                        return (try? sealer.opened(sealer.sealed(bytes, at: place), at: place))
                            != bytes
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
    }
}
