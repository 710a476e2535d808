// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

/// Encrypts and decrypts the rows of a sealed database; lives as long as the connection.
///
/// A plaintext database has none, and its rows are read and written unchanged.
final class RowSeals {
    let vault: Vault
    /// The owner of the store; the row of the owner holds hashes only.
    let owner: StoreOwner
    private let opener: PayloadOpener
    private unowned let connection: Connection
    private enum LogTraces {
        case none
        /// The log may contain destroyed keys.
        case fresh
        /// The same, after an attempt to empty the log has failed.
        case blocked
    }
    private var traces = LogTraces.none

    init(_ vault: Vault, owner: StoreOwner, _ connection: Connection) {
        self.vault = vault
        self.owner = owner
        self.connection = connection
        opener = PayloadOpener(vault, connection)
    }

    /// The row whose key seals content outside of channels; no channel has this row.
    static let commonRow: Int64 = 0

    // MARK: - Values

    /// Decrypts stored bytes and passes them to a closure.
    func open<T>(
        _ stored: Span<UInt8>, at place: @autoclosure () -> SealPlace, reading what: String,
        _ read: (Span<UInt8>) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try opener.open(stored, at: place(), reading: what, read)
    }

    /// Returns stored bytes in decrypted form.
    func opened(
        _ stored: [UInt8], at place: @autoclosure () -> SealPlace, reading what: String
    ) throws(SQLiteError) -> [UInt8] {
        try opener.open(stored.span, at: place(), reading: what) { bytes in
            // SAFETY: the span is alive, and the array copies it.
            unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        }
    }

    /// Returns the bytes that `write` appends, sealed under the key of a channel's row.
    ///
    /// The call needs an open transaction.
    func sealed(
        channelRow: Int64 = commonRow, at place: SealPlace, _ write: (inout [UInt8]) -> Void
    ) throws(SQLiteError) -> [UInt8] {
        var bytes: [UInt8] = []
        try vault.sealer(channelRow: channelRow, in: connection)
            .seal(into: &bytes, at: place, write)
        return bytes
    }

    // MARK: - Names

    /// Returns the column's form of a name, and the encrypted name.
    func written(_ name: String, _ kind: NameKind) throws(SQLiteError) -> WrittenName {
        let hash = hash(name, kind)
        return WrittenName(
            column: hash.text,
            sealed: try sealed(at: .name(kind, hash)) { $0.append(contentsOf: name.utf8) })
    }

    /// Returns the original name.
    func name(_ written: WrittenName, _ kind: NameKind) throws(SQLiteError) -> String {
        let hash = try hash(inColumn: written.column)
        return try open(written.sealed.span, at: .name(kind, hash), reading: "a name") { bytes in
            bytes.text(in: 0..<bytes.count)
        }
    }

    func column(_ name: String, _ kind: NameKind) -> String { hash(name, kind).text }
    func column(_ url: ChannelURL) -> ChannelURL { ChannelURL(column(url.rawValue, .channelURL)) }
    func column(_ id: UserID) -> UserID { UserID(column(id.rawValue, .userID)) }
    func column(_ id: RequestID) -> RequestID { RequestID(column(id.rawValue, .requestID)) }
    func column(_ owner: StoreOwner) -> StoreOwner {
        StoreOwner(
            application: column(owner.application, .application), user: column(owner.user, .userID))
    }

    func hash(_ name: String, _ kind: NameKind) -> NameHash { vault.names.hash(name, kind) }

    func hash(inColumn text: String) throws(SQLiteError) -> NameHash {
        guard let hash = NameHash(text: text) else {
            throw .malformed("a name", because: "its column holds no hash")
        }
        return hash
    }

    // MARK: - Erasure

    /// Destroys a channel's keys within a transaction, and so all content encrypted with them.
    ///
    /// Neither rows, nor their remains in free pages, nor later copies of these files can be
    /// decrypted. A copy made before, together with the master key, can still be opened. Flash
    /// memory and copy-on-write file systems may keep overwritten blocks. The keys in such blocks
    /// are wrapped under the master key, so replacing the master key makes them useless.
    func eraseKeys(channelRow: Int64) throws(SQLiteError) {
        try beginErasure()
        try connection.execute(.deleteKeysOfChannel, channelRow)
    }

    /// Destroys all keys of a channel but the newest within a transaction, as `eraseKeys` does.
    func eraseOlderKeys(channelRow: Int64) throws(SQLiteError) {
        guard let newest = try connection.first(.newestKeyOfChannel, channelRow) else { return }
        try beginErasure()
        try connection.execute(.deleteOlderKeysOfChannel, (channelRow, newest.number))
    }

    /// Lets SQLite overwrite deleted content until the next `finishErasure`.
    private func beginErasure() throws(SQLiteError) {
        try connection.executeScript("PRAGMA secure_delete = ON")
        traces = .fresh
    }

    /// Empties the log of destroyed keys, as far as readers allow it.
    ///
    /// To be called after each transaction: while a reader keeps the log, the next call tries again.
    func finishErasure() {
        guard traces != .none else { return }
        // One commit waits for the reader; the following ones would wait each time.
        let erasure = connection.truncateLog(patienceMS: traces == .fresh ? 100 : 0)
        traces = erasure == .complete ? .none : .blocked
        // The statement cannot fail: it reads and writes no page.
        try? connection.executeScript("PRAGMA secure_delete = FAST")
    }
}

/// A name in a row of a sealed database.
struct WrittenName: Sendable {
    let column: String
    let sealed: [UInt8]
}

extension Connection {
    /// The encryption of rows; nil in a plaintext database.
    var seals: RowSeals? { companion as? RowSeals }

    /// Returns the encryption of a channel's payloads, for this transaction.
    func payloadSeal(channelRow: Int64) throws(SQLiteError) -> PayloadSeal {
        guard let seals else { return .plain }
        return PayloadSeal(try seals.vault.sealer(channelRow: channelRow, in: self))
    }
}
