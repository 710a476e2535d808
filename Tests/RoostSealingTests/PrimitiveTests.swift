// SPDX-License-Identifier: Apache-2.0

import RoostSealing
import Testing

/// Known answers of the standards.
struct PrimitiveTests {
    @Test func `SHA-256 gives the answers of FIPS 180-2`() {
        #expect(
            [UInt8].sha256(of: Array("abc".utf8))
                == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(
            [UInt8].sha256(of: [])
                == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    @Test func `HMAC-SHA256 gives the answers of RFC 4231, repeatedly`() {
        let hash = KeyedHash(key: SecretBytes(copying: Array("Jefe".utf8).span))
        let long = KeyedHash(key: SecretBytes(copying: [UInt8](repeating: 0xAA, count: 131).span))
        for _ in 0..<2 {
            #expect(
                hash.code(for: Array("what do ya want for nothing?".utf8))
                    == hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
            #expect(
                long.code(
                    for: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
                    == hex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"))
        }
    }

    @Test func `HKDF-SHA256 gives the answers of RFC 5869`() {
        let short = SecretBytes(copying: [UInt8](repeating: 0x0B, count: 22).span)
            .derive(
                for: hex("f0f1f2f3f4f5f6f7f8f9"), salt: hex("000102030405060708090a0b0c"),
                count: 42)
        let shortBytes = short.bytes
        #expect(
            shortBytes
                == hex(
                    "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b88718"
                        + "5865"))
        let noSalt = SecretBytes(copying: [UInt8](repeating: 0x0B, count: 22).span)
            .derive(for: [], salt: [], count: 42)
        let noSaltBytes = noSalt.bytes
        #expect(
            noSaltBytes
                == hex(
                    "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a"
                        + "96c8"))
    }

    @Test func `AES-256-GCM gives the answer of NIST's 16th test case`() {
        let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let nonce = hex("cafebabefacedbaddecaf888")
        let associated = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let plain = hex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
        let cipher = AEADCipher(key: SecretBytes(copying: key.span))
        for _ in 0..<2 {
            var bytes = plain
            var tag = [UInt8](repeating: 0, count: 16)
            // SAFETY: every array is valid during the call and has GCM's length.
            unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                unsafe nonce.withUnsafeBufferPointer { nonce in
                    unsafe associated.withUnsafeBytes { associated in
                        unsafe tag.withUnsafeMutableBufferPointer { tag in
                            guard let nonce = nonce.baseAddress, let tag = tag.baseAddress else {
                                return
                            }
                            unsafe cipher.seal(
                                bytes, nonce: nonce, associated: associated, tag: tag)
                        }
                    }
                }
            }
            #expect(
                bytes
                    == hex(
                        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                            + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"))
            #expect(tag == hex("76fc6ece0f4e1768cddf8853bb2d551b"))
        }
    }

    @Test func `equal bytes match, different and shorter ones do not`() {
        let bytes: [UInt8] = .random(count: 32)
        var other = bytes
        other[31] ^= 1
        #expect(bytes.matches(bytes))
        #expect(!bytes.matches(other))
        #expect(!bytes.matches(Array(bytes.dropLast())))
        let secret = SecretBytes(copying: bytes.span)
        let matchesItself = secret.matches(SecretBytes(copying: bytes.span))
        let matchesAnother = secret.matches(SecretBytes(copying: other.span))
        #expect(matchesItself && !matchesAnother)
    }

    @Test func `random bytes do not repeat`() {
        #expect(Set((0..<1_000).map { _ in [UInt8].random(count: 16) }).count == 1_000)
    }

    @Test func `wiping leaves zeros`() {
        var bytes: [UInt8] = .random(count: 32)
        bytes.wipe()
        #expect(bytes == [UInt8](repeating: 0, count: 32))
    }
}
