// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite
package import RoostSealing

/// The stored form of one channel's payloads: plain or encrypted.
///
/// Made once per channel and transaction (`Vault.sealer`), and passed to each row's binding.
package struct PayloadSeal: Sendable {
    private let sealer: Sealer?

    /// Plaintext; costs one comparison.
    package static let plain = PayloadSeal(nil)

    package init(_ sealer: Sealer?) { self.sealer = sealer }

    /// Appends a payload in its stored form.
    package func append(
        to buffer: inout [UInt8], at place: @autoclosure () -> SealPlace,
        _ write: (inout [UInt8]) -> Void
    ) {
        if let sealer {
            sealer.seal(into: &buffer, at: place(), write)
        } else {
            write(&buffer)
        }
    }
}

/// Reads stored payloads: plain ones in place, encrypted ones into a buffer that is used again.
///
/// Each connection has one, which must not outlive the connection.
package final class PayloadOpener {
    private let vault: Vault
    private unowned let connection: Connection
    private var scratch: [UInt8] = []

    package init(_ vault: Vault, _ connection: Connection) {
        self.vault = vault
        self.connection = connection
    }

    /// Decrypts a stored payload and passes it to a closure.
    ///
    /// - Parameters:
    ///   - stored: The bytes of the column.
    ///   - place: The row and column of the bytes.
    ///   - what: The kind of value, for error messages, such as "a message".
    ///   - read: May open other payloads meanwhile, such as those of the users it names.
    /// - Returns: The result of `read`.
    /// - Throws: A malformed value if the seal is broken, the key is erased, or a sealed database
    ///   contains plaintext, which is a sign of tampering; otherwise the error of `read`.
    package func open<T>(
        _ stored: Span<UInt8>, at place: @autoclosure () -> SealPlace, reading what: String,
        _ read: (Span<UInt8>) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        if !SealedForm.isSealed(stored), vault.stage != .sealed { return try read(stored) }
        var bytes: [UInt8] = []
        swap(&bytes, &scratch)
        defer {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
            swap(&bytes, &scratch)
        }
        try decrypt(stored, at: place(), what, into: &bytes)
        return try read(bytes.span)
    }

    private func decrypt(
        _ stored: Span<UInt8>, at place: SealPlace, _ what: String,
        into bytes: inout [UInt8]
    ) throws(SQLiteError) {
        let number: UInt32
        do throws(SealError) {
            number = try SealedForm.keyNumber(stored)
        } catch {
            throw error.asSQLiteError(reading: what)
        }
        let known = try vault.sealer(number: number, in: connection)
        do throws(SealError) {
            return try known.open(stored, at: place, into: &bytes)
        } catch {
            // After a rollback another key may have the number of the key in memory.
            let fresh = try vault.sealer(number: number, in: connection, isFresh: true)
            guard fresh !== known else { throw error.asSQLiteError(reading: what) }
            do throws(SealError) {
                return try fresh.open(stored, at: place, into: &bytes)
            } catch {
                throw error.asSQLiteError(reading: what)
            }
        }
    }

    /// A larger buffer is released, so one huge message does not stay in memory.
    private static let keptCapacity = 64 * 1_024
}

extension SealError {
    /// Returns the error to report about a stored value.
    func asSQLiteError(reading what: String) -> SQLiteError {
        let reason =
            switch self {
            case .notSealed: "it is in the clear in a sealed database"
            case .version(let version): "its seal has the unknown version \(version)"
            case .truncated: "its seal ends too early"
            case .otherKey(let number): "its seal names the key \(number)"
            case .forged: "its seal is broken"
            }
        return .malformed(what, because: reason)
    }
}
