// SPDX-License-Identifier: Apache-2.0

// A stand-in, see README.md.

public import Foundation

public struct SymmetricKey: Sendable {
    public init<D: ContiguousBytes>(data: D) {}
}

public enum AES {
    public enum GCM {
        public struct Nonce: Sendable {
            public init<D: DataProtocol>(data: D) throws {}
        }

        public struct SealedBox: Sendable {
            public let ciphertext: Data
            public let tag: Data

            public init<C: DataProtocol, T: DataProtocol>(
                nonce: AES.GCM.Nonce, ciphertext: C, tag: T
            ) throws {
                self.ciphertext = Data(ciphertext)
                self.tag = Data(tag)
            }
        }

        public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
            _ message: Plaintext, using key: SymmetricKey, nonce: AES.GCM.Nonce? = nil,
            authenticating authenticatedData: AuthenticatedData
        ) throws -> AES.GCM.SealedBox {
            throw CocoaError(.featureUnsupported)
        }

        public static func open<AuthenticatedData: DataProtocol>(
            _ sealedBox: AES.GCM.SealedBox, using key: SymmetricKey,
            authenticating authenticatedData: AuthenticatedData
        ) throws -> Data {
            throw CocoaError(.featureUnsupported)
        }
    }
}

public protocol HashFunction: Sendable {
    associatedtype Digest: Sequence<UInt8>
    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}

public struct SHA256: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> SHA256Digest { SHA256Digest() }
}

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
}

public struct HMAC<H: HashFunction>: Sendable {
    public init(key: SymmetricKey) {}
    public mutating func update<D: DataProtocol>(data: D) {}
    public func finalize() -> HashedAuthenticationCode<H> { HashedAuthenticationCode() }
}

public struct HashedAuthenticationCode<H: HashFunction>: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
}
