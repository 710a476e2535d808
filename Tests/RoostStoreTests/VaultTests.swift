// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQLite
import RoostSealing
import RoostTestSupport
import Testing

@testable import RoostStore

/// A database with a vault and one table of payloads.
struct VaultFixture {
    let folder: TemporaryFolder
    let connection: Connection

    static let migrator = Migrator(
        applicationID: 0x5465_7374,
        [
            Migration(1, "vault", SQL(nil, SQL.vaultTables)),
            Migration(
                2, "note",
                "CREATE TABLE note (id INTEGER PRIMARY KEY, payload BLOB NOT NULL) STRICT"),
        ])

    init() throws {
        folder = try TemporaryFolder()
        connection = try Self.open(folder)
    }

    static func open(_ folder: TemporaryFolder) throws -> Connection {
        let connection = try Connection(.file(folder.file("cache.sqlite")))
        try migrator.migrate(connection)
        return connection
    }

    func make(_ master: MasterKey, _ stage: VaultStage = .sealed) throws -> Vault {
        try connection.transaction { () throws(SQLiteError) in
            try Vault.make(in: connection, master, stage: stage)
        }
    }

    func write(_ words: String, note: Int64, channel: Int64, _ vault: Vault?) throws {
        try connection.transaction { () throws(SQLiteError) in
            let seal = PayloadSeal(try vault?.sealer(channelRow: channel, in: connection))
            try connection.execute(.saveNote, (note, seal, words))
        }
    }

    func read(note: Int64, _ vault: Vault) throws(SQLiteError) -> String? {
        guard let stored = try connection.first(.note, note) else { return nil }
        return try PayloadOpener(vault, connection).open(
            stored.span, at: .message(channelRow: 0, createdAt: 0, id: note), reading: "a note"
        ) { bytes in bytes.text(in: 0..<bytes.count) }
    }

    func wrappedKeys() throws -> [[UInt8]] {
        try connection.all(
            Query(sql: "SELECT wrapped FROM data_key ORDER BY number") { row in row.bytes(0) })
    }

    /// Whether any file of the database contains the bytes.
    func filesContain(_ bytes: [UInt8]) throws -> Bool {
        try folder.contents().contains { name in
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
            return data.range(of: Data(bytes)) != nil
        }
    }
}

extension Query where Input == (id: Int64, seal: PayloadSeal, words: String), Output == Void {
    fileprivate static var saveNote: Query {
        Query(
            sql: "INSERT OR REPLACE INTO note (id, payload) VALUES (?1, ?2)",
            bind: { note, bindings in
                bindings.append(note.id)
                bindings.appendBytes { buffer in
                    note.seal.append(
                        to: &buffer, at: .message(channelRow: 0, createdAt: 0, id: note.id)
                    ) { $0.append(contentsOf: note.words.utf8) }
                }
            })
    }
}

extension Query where Input == Int64, Output == [UInt8] {
    fileprivate static var note: Query {
        Query(
            sql: "SELECT payload FROM note WHERE id = ?1",
            bind: { id, bindings in bindings.append(id) }, decode: { row in row.bytes(0) })
    }
}

private struct LockedDevice: MasterKeySource {
    func masterKeys(makesMissing: Bool) throws(MasterKeyError) -> MasterKeys? {
        throw .unavailable("the device is locked")
    }

    func forgetPrevious(ifInUse isInUse: (MasterKey) -> Bool) {}
}

struct VaultTests {
    private let words = "Meet me at the harbour at nine."

    @Test func `a database without a vault stays unchanged, with or without a key`() throws {
        let fixture = try VaultFixture()
        try fixture.write(words, note: 1, channel: 1, nil)
        #expect(try Vault.open(in: fixture.connection, MasterKeys(.random())) == nil)
        #expect(try fixture.connection.first(.note, 1) == Array(words.utf8))
        #expect(try fixture.filesContain(Array(words.utf8)))
    }

    @Test func `a sealed value is in no file and opens with the key (R136)`() throws {
        let fixture = try VaultFixture()
        let master = MasterKey.random()
        try fixture.write(words, note: 1, channel: 1, try fixture.make(master))
        #expect(try !fixture.filesContain(Array(words.utf8)))
        let again = try #require(try Vault.open(in: fixture.connection, MasterKeys(master)))
        #expect(again.stage == .sealed)
        #expect(!again.needsRewrap)
        #expect(try fixture.read(note: 1, again) == words)
    }

    @Test
    func
        `missing, wrong and unavailable keys are distinct errors and no damage (scars 43, 44, 47)`()
        throws
    {
        let fixture = try VaultFixture()
        let master = MasterKey.random()
        try fixture.write(words, note: 1, channel: 1, try fixture.make(master))
        let empty = KeyFile(fixture.folder.file("no.key"))
        #expect(throws: VaultError.keyMissing) { try Vault.open(in: fixture.connection, nil) }
        #expect(throws: VaultError.keyMissing) { try Vault.open(in: fixture.connection, empty) }
        #expect(try empty.read() == nil, "no new key hides the lost one")
        #expect(throws: VaultError.wrongKey) {
            try Vault.open(in: fixture.connection, MasterKeys(.random()))
        }
        #expect(throws: VaultError.keyUnavailable("the device is locked")) {
            try Vault.open(in: fixture.connection, LockedDevice())
        }
        let back = try #require(try Vault.open(in: fixture.connection, MasterKeys(master)))
        #expect(try fixture.read(note: 1, back) == words)
    }

    @Test func `a flipped bit of the header is damage, not a wrong key (scars 42, 44)`() throws {
        let fixture = try VaultFixture()
        let master = MasterKey.random()
        _ = try fixture.make(master)
        let header = try #require(
            try fixture.connection.first(
                Query<Void, [UInt8]>(sql: "SELECT header FROM vault") { row in row.bytes(0) }))
        for index in header.indices {
            var broken = header
            broken[index] ^= 0x10
            try fixture.connection.execute(
                Query<[UInt8], Void>(
                    sql: "UPDATE vault SET header = ?1",
                    bind: { bytes, bindings in bindings.append(bytes) }), broken)
            let error = #expect(throws: VaultError.self) {
                try Vault.open(in: fixture.connection, MasterKeys(master))
            }
            #expect(error != .wrongKey && error != .keyMissing, "byte \(index)")
        }
    }

    @Test func `every channel has one key of its own`() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.make(.random())
        for note in 1...6 {
            try fixture.write(words, note: Int64(note), channel: Int64(note % 3), vault)
        }
        #expect(try fixture.wrappedKeys().count == 3)
        for note in 1...6 { #expect(try fixture.read(note: Int64(note), vault) == words) }
    }

    @Test func `a wrapped key moved to another channel is refused`() throws {
        let fixture = try VaultFixture()
        let master = MasterKey.random()
        let vault = try fixture.make(master)
        try fixture.write(words, note: 1, channel: 1, vault)
        try fixture.connection.executeScript("UPDATE data_key SET channel_id = 2")
        let again = try #require(try Vault.open(in: fixture.connection, MasterKeys(master)))
        #expect(throws: SQLiteError.self) { try fixture.read(note: 1, again) }
    }

    @Test func `a payload moved to another row or left plain is refused`()
        throws
    {
        let fixture = try VaultFixture()
        let master = MasterKey.random()
        let vault = try fixture.make(master)
        try fixture.write(words, note: 1, channel: 1, vault)
        try fixture.connection.executeScript(
            """
            INSERT INTO note (id, payload) SELECT 2, payload FROM note WHERE id = 1;
            INSERT INTO note (id, payload) VALUES (3, x'486921')
            """)
        for note in [2, 3] {
            let error = #expect(throws: SQLiteError.self) {
                try fixture.read(note: Int64(note), vault)
            }
            #expect(error?.isMalformedValue == true)
        }
        let halfway = try VaultFixture()
        let sealing = try halfway.make(master, .sealing)
        try halfway.connection.executeScript("INSERT INTO note (id, payload) VALUES (3, x'486921')")
        #expect(try halfway.read(note: 3, sealing) == "Hi!")
    }

    @Test func `a key of a rolled back transaction seals and opens no stored value`()
        throws
    {
        let fixture = try VaultFixture()
        let master = MasterKey.random()
        // Two processes on one database; the first has a key 1 in memory that was rolled back.
        let one = try fixture.make(master)
        let other = try #require(try Vault.open(in: fixture.connection, MasterKeys(master)))
        #expect(throws: SQLiteError.self) {
            try fixture.connection.transaction { () throws(SQLiteError) in
                _ = try one.sealer(channelRow: 1, in: fixture.connection)
                throw SQLiteError(code: 13, message: "the disk is full", action: "test")
            }
        }
        try fixture.write(words, note: 1, channel: 2, other)
        #expect(try fixture.read(note: 1, one) == words)
        let third = try #require(try Vault.open(in: fixture.connection, MasterKeys(master)))
        #expect(throws: SQLiteError.self) {
            try fixture.connection.transaction { () throws(SQLiteError) in
                _ = try third.sealer(channelRow: 3, in: fixture.connection)
                throw SQLiteError(code: 13, message: "the disk is full", action: "test")
            }
        }
        try fixture.write(words, note: 2, channel: 4, other)
        try fixture.write(words, note: 3, channel: 4, third)
        for vault in [one, other, third] {
            for note in 1...3 { #expect(try fixture.read(note: Int64(note), vault) == words) }
        }
    }

    @Test
    func `after a rotation the new master key opens all, and the old one nothing`()
        throws
    {
        let fixture = try VaultFixture()
        let (old, new) = (MasterKey.random(), MasterKey.random())
        let vault = try fixture.make(old)
        for note in 1...40 {
            try fixture.write(words, note: Int64(note), channel: Int64(note), vault)
        }
        let wrappings = try fixture.wrappedKeys()
        let hash = vault.names.hash("channel-1", .channelURL).text
        #expect(try vault.rewrap(new, in: fixture.connection) == .complete)
        for wrapping in wrappings { #expect(try !fixture.filesContain(wrapping)) }
        #expect(throws: VaultError.wrongKey) {
            try Vault.open(in: fixture.connection, MasterKeys(old))
        }
        for vault in [vault, try #require(try Vault.open(in: fixture.connection, MasterKeys(new)))]
        {
            #expect(vault.names.hash("channel-1", .channelURL).text == hash)
            for note in 1...40 { #expect(try fixture.read(note: Int64(note), vault) == words) }
            try fixture.write(words, note: 41, channel: 41, vault)
        }
        let both = try Vault.open(in: fixture.connection, MasterKeys(.random(), previous: [new]))
        #expect(both?.needsRewrap == true)
    }

    @Test func `a failed rewrapping leaves the old key valid`() throws {
        let fixture = try VaultFixture()
        let (old, new) = (MasterKey.random(), MasterKey.random())
        let vault = try fixture.make(old)
        for note in 1...3 {
            try fixture.write(words, note: Int64(note), channel: Int64(note), vault)
        }
        try fixture.connection.executeScript(
            """
            CREATE TRIGGER fault BEFORE UPDATE ON data_key WHEN old.number = 2
            BEGIN SELECT RAISE(ABORT, 'injected'); END
            """)
        #expect(throws: SQLiteError.self) { try vault.rewrap(new, in: fixture.connection) }
        try fixture.connection.executeScript("DROP TRIGGER fault")
        let again = try #require(try Vault.open(in: fixture.connection, MasterKeys(old)))
        for vault in [vault, again] {
            for note in 1...3 { #expect(try fixture.read(note: Int64(note), vault) == words) }
        }
    }

    @Test
    func `the key file and the vault agree after a crash between any two steps of a rotation`()
        throws
    {
        for step in 0...3 {
            let fixture = try VaultFixture()
            let file = KeyFile(fixture.folder.file("keys/master"))
            let vault = try fixture.make(file.readOrMake().current)
            try fixture.write(words, note: 1, channel: 1, vault)
            if step > 0 {
                let keys = try file.beginReplacement()
                if step > 1 { _ = try vault.rewrap(keys.current, in: fixture.connection) }
                if step > 2 { try file.finishReplacement { _ in true } }
            }
            let after = try #require(try Vault.open(in: fixture.connection, file))
            #expect(try fixture.read(note: 1, after) == words, "step \(step)")
            #expect(after.needsRewrap == (step == 1))
        }
    }

    @Test func `no trace of an erased channel in the files can be opened again (R136)`()
        throws
    {
        let fixture = try VaultFixture()
        let master = MasterKey.random()
        let vault = try fixture.make(master)
        for note in 1...20 {
            try fixture.write(words, note: Int64(note), channel: Int64(note), vault)
        }
        let wrappings = try fixture.wrappedKeys()
        #expect(try fixture.filesContain(wrappings[6]))
        let seals = RowSeals(vault, owner: Secrets.owner, fixture.connection)
        try fixture.connection.transaction { () throws(SQLiteError) in
            try seals.eraseKeys(channelRow: 7)
        }
        seals.finishErasure()
        vault.forgetKeys()
        #expect(try !fixture.filesContain(wrappings[6]))
        let again = try #require(try Vault.open(in: fixture.connection, MasterKeys(master)))
        for vault in [vault, again] {
            let error = #expect(throws: SQLiteError.self) { try fixture.read(note: 7, vault) }
            #expect(error?.message == "its key was erased")
            #expect(try fixture.read(note: 8, vault) == words)
        }
        try fixture.write("Hello again.", note: 7, channel: 7, vault)
        #expect(try fixture.read(note: 7, again) == "Hello again.")
    }

    @Test func `an erasure blocked by a reader reports it and is completed later`() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.make(.random())
        try fixture.write(words, note: 1, channel: 1, vault)
        var options = ConnectionOptions(access: .readOnly)
        options.busyTimeoutMS = 0
        let reader = try Connection(.file(fixture.folder.file("cache.sqlite")), options)
        let impatient = try Connection(
            .file(fixture.folder.file("cache.sqlite")), ConnectionOptions(busyTimeoutMS: 0))
        let seals = RowSeals(vault, owner: Secrets.owner, impatient)
        try reader.snapshot { () throws(SQLiteError) in
            _ = try reader.first(
                Query<Void, Int64>(sql: "SELECT count(*) FROM note") { row in row.int64(0) })
            try impatient.transaction { () throws(SQLiteError) in
                _ = try vault.replaceKey(channelRow: 1, in: impatient)
                try seals.eraseOlderKeys(channelRow: 1)
            }
            seals.finishErasure()
            #expect(impatient.truncateLog() == .logRemains)
            // As after each further commit.
            seals.finishErasure()
        }
        let files = DatabaseFiles(fixture.folder.file("cache.sqlite"))
        #expect(files.byteCounts.log > 0)
        seals.finishErasure()
        #expect(files.byteCounts.log == 0)
    }

    @Test func `a channel's new key seals later values, and the old one is dropped on request`()
        throws
    {
        let fixture = try VaultFixture()
        let vault = try fixture.make(.random())
        try fixture.write(words, note: 1, channel: 1, vault)
        try fixture.connection.transaction { () throws(SQLiteError) in
            _ = try vault.replaceKey(channelRow: 1, in: fixture.connection)
        }
        try fixture.write(words, note: 2, channel: 1, vault)
        #expect(try fixture.read(note: 1, vault) == words)
        let seals = RowSeals(vault, owner: Secrets.owner, fixture.connection)
        try fixture.connection.transaction { () throws(SQLiteError) in
            try seals.eraseOlderKeys(channelRow: 1)
        }
        seals.finishErasure()
        vault.forgetKeys()
        #expect(throws: SQLiteError.self) { try fixture.read(note: 1, vault) }
        #expect(try fixture.read(note: 2, vault) == words)
    }

    @Test func `names become hashes that only the same kind and vault share`() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.make(.random())
        let names = vault.names
        let column = names.hash("harbour", .channelURL).text
        #expect(column.count == 22)
        #expect(
            column.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
        #expect(column == names.hash("harbour", .channelURL).text)
        #expect(column != names.hash("harbour", .userID).text)
        let other = try VaultFixture().make(.random()).names
        #expect(column != other.hash("harbour", .channelURL).text)
        #expect(names.requestKey("a") != names.requestKey("b"))
        let all = Set((0..<5_000).map { names.hash("channel-\($0)", .channelURL).text })
        #expect(all.count == 5_000)
    }
}
