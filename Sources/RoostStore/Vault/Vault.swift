// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostSQLite
package import RoostSealing

/// The keys of one sealed database; shared by its connections.
///
/// Master key → key-encryption key (HKDF, a salt for each vault) → data keys, one for each channel
/// and one for content outside of channels → payloads. A key in memory is found by its number. The
/// database decides, because a transaction that made a key may have been rolled back.
package final class Vault: Sendable {
    /// The names in lookup columns; the same for as long as the database is sealed.
    package let names: LookupNames
    /// Whether the replacement of the master key is unfinished; `rewrap` completes it.
    package let needsRewrap: Bool
    let lookup: SecretBytes
    let state: Guarded<State>

    struct State {
        var stage: VaultStage
        var wrapper: Sealer
        fileprivate var known: [Int64: KnownKey] = [:]
    }

    /// An unwrapped key, and the wrapped bytes it came from.
    fileprivate struct KnownKey {
        let sealer: Sealer
        let wrapped: [UInt8]
    }

    /// The number of keys in memory, two kilobytes each; the next one empties the cache.
    private static let knownLimit = 4_096

    private init(
        stage: VaultStage, wrapper: Sealer, lookup: consuming SecretBytes, needsRewrap: Bool
    ) {
        names = LookupNames(keyed: KeyedHash(key: lookup))
        self.lookup = lookup
        self.needsRewrap = needsRewrap
        state = Guarded(State(stage: stage, wrapper: wrapper))
    }

    package var stage: VaultStage { state.withLock { $0.stage } }

    func setStage(_ stage: VaultStage) { state.withLock { $0.stage = stage } }

    /// Opens the vault of a database; nil if there is none and the database is plaintext.
    ///
    /// - Parameters:
    ///   - connection: The connection; may be read-only.
    ///   - source: The source of the master key; nil if the app gave none.
    /// - Returns: The vault with its stage on disk.
    /// - Throws: The fault of the key, distinguished from damage; nothing was changed.
    package static func open(
        in connection: Connection, _ source: (any MasterKeySource)?
    ) throws(VaultError) -> Vault? {
        let row: (stage: Int64, header: [UInt8])?
        do throws(SQLiteError) { row = try connection.first(.vault) } catch {
            throw .database(error)
        }
        guard let row else {
            // If the row of the vault is lost, hashed names must not be taken for plain names.
            guard try Self.hasKeys(in: connection) else { return nil }
            throw .damaged("it is missing")
        }
        let header = try VaultHeader(row.header)
        guard let stage = VaultStage(rawValue: row.stage) else { throw .damaged("its stage") }
        guard let keys = try keys(source) else { throw .keyMissing }
        guard let master = keys.all.first(where: header.isMade) else { throw .wrongKey }
        let wrapper = header.wrapper(master)
        do throws(SealError) {
            return Vault(
                stage: stage, wrapper: wrapper, lookup: try header.lookup(wrapper),
                needsRewrap: !master.isSame(as: keys.current))
        } catch {
            throw .damaged("the key of its names")
        }
    }

    private static func hasKeys(in connection: Connection) throws(VaultError) -> Bool {
        do throws(SQLiteError) {
            return try connection.first(.hasKeys) == 1
        } catch {
            throw .database(error)
        }
    }

    private static func keys(_ source: (any MasterKeySource)?) throws(VaultError) -> MasterKeys? {
        do throws(MasterKeyError) {
            return try source?.masterKeys(makesMissing: false)
        } catch {
            switch error {
            case .length: throw .wrongKey
            case .unavailable(let reason): throw .keyUnavailable(reason)
            }
        }
    }

    /// Makes a vault in a database without one; from then on all new content is encrypted.
    ///
    /// To be called inside the transaction that also replaces the names in lookup columns. The
    /// master key must be stored before that transaction ends.
    package static func make(
        in connection: Connection, _ master: MasterKey, stage: VaultStage
    ) throws(SQLiteError) -> Vault {
        let lookup = SecretBytes.random(count: 32)
        let header = VaultHeader(master, lookup: lookup)
        try connection.execute(.saveVault, (stage.rawValue, header.bytes))
        return Vault(
            stage: stage, wrapper: header.wrapper(master), lookup: lookup, needsRewrap: false)
    }

    /// Returns the key of a channel's payloads, made if there is none yet.
    ///
    /// To be called inside a transaction, once for each channel with new content.
    package func sealer(
        channelRow: Int64, in connection: Connection
    ) throws(SQLiteError) -> Sealer {
        if let newest = try connection.first(.newestKeyOfChannel, channelRow) {
            do throws(SQLiteError) {
                return try sealer(newest)
            } catch  where error.isMalformedValue {
                // Content sealed by the lost key is lost; later content is not affected.
            }
        }
        return try addKey(channelRow: channelRow, in: connection)
    }

    /// Returns the key that encrypted bytes name by its number.
    ///
    /// - Parameters:
    ///   - number: The number in the encrypted bytes.
    ///   - connection: The connection, for a key that is not in memory.
    ///   - isFresh: Whether to read the key from the database in any case.
    /// - Returns: The key.
    /// - Throws: A malformed value if the key was erased, so its content is lost for good.
    package func sealer(
        number: UInt32, in connection: Connection, isFresh: Bool = false
    ) throws(SQLiteError) -> Sealer {
        let number = Int64(number)
        if !isFresh, let known = state.withLock({ $0.known[number] }) { return known.sealer }
        guard let wrapped = try connection.first(.keyByNumber, number) else {
            state.withLock { state in _ = state.known.removeValue(forKey: number) }
            throw .malformed("a sealed value", because: "its key was erased")
        }
        return try sealer(wrapped)
    }

    private func sealer(_ key: WrappedKey) throws(SQLiteError) -> Sealer {
        let (known, wrapper) = state.withLock { ($0.known[key.number], $0.wrapper) }
        if let known, known.wrapped == key.bytes { return known.sealer }
        let opened: SecretBytes
        do throws(SealError) {
            opened = try wrapper.unwrapping(key.bytes, at: key.place)
        } catch {
            throw .malformed("a data key", because: "its wrapping is broken")
        }
        let sealer = Sealer(key: opened, number: UInt32(truncatingIfNeeded: key.number))
        remember(sealer, key)
        return sealer
    }

    /// Returns the numbers of the keys that the wrapping key does not open; they are damaged.
    func brokenKeys(in connection: Connection) throws(SQLiteError) -> [Int64] {
        var broken: [Int64] = []
        for key in try connection.all(.allKeys) {
            do throws(SQLiteError) {
                _ = try sealer(key)
            } catch  where error.isMalformedValue {
                broken.append(key.number)
            }
        }
        return broken
    }

    /// Adds a key, which becomes the channel's newest.
    func addKey(channelRow: Int64, in connection: Connection) throws(SQLiteError) -> Sealer {
        guard let number = try connection.first(.reserveKeyNumber, channelRow),
            let short = UInt32(exactly: number)
        else { throw .malformed("a data key", because: "its number is too large") }
        let secret = SecretBytes.random(count: 32)
        let wrapper = state.withLock { $0.wrapper }
        let place = SealPlace.dataKey(number: number, channelRow: channelRow)
        let key = WrappedKey(
            number: number, channelRow: channelRow, bytes: wrapper.wrapping(secret, at: place))
        try connection.execute(.saveWrappedKey, key)
        let sealer = Sealer(key: secret, number: short)
        remember(sealer, key)
        return sealer
    }

    private func remember(_ sealer: Sealer, _ key: WrappedKey) {
        state.withLock { state in
            if state.known.count >= Self.knownLimit { state.known.removeAll() }
            state.known[key.number] = KnownKey(sealer: sealer, wrapped: key.bytes)
        }
    }

    /// Removes the keys from memory; a key used by a query is released after the query.
    package func forgetKeys() {
        state.withLock { $0.known.removeAll() }
    }
}

extension WrappedKey {
    var place: SealPlace { .dataKey(number: number, channelRow: channelRow) }
}
