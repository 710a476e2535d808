// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostExecutors
internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

/// The folder of the files of unsent messages.
struct AttachmentFolder: Sendable {
    let path: String

    /// The size of the pieces that are read and encrypted at a time.
    static let chunk = 1 << 16

    /// Copies a file; at the return the copy survives a loss of power.
    ///
    /// - Returns: Nil if interrupted; the incomplete copy stays.
    func copy(
        _ source: String, to name: String, isSealed: Bool, unless isStopped: () -> Bool
    ) throws(FileError) -> CopiedFile? {
        let file = try PlainFile(reading: source)
        return try write(to: name, isSealed: isSealed) { () throws(FileError) in
            isStopped() ? nil : try file.read(Self.chunk)
        }
    }

    func copy(
        _ bytes: [UInt8], to name: String, isSealed: Bool
    ) throws(FileError) -> CopiedFile? {
        var rest = bytes[...]
        return try write(to: name, isSealed: isSealed) { () throws(FileError) in
            defer { rest = rest.dropFirst(Self.chunk) }
            return Array(rest.prefix(Self.chunk))
        }
    }

    /// Copies an encrypted copy, with a key of its own if `isSealed`.
    func copy(
        _ sealed: SealedCopy, to name: String, isSealed: Bool
    ) throws(FileError) -> CopiedFile? {
        let reader = try AttachmentReader(sealed)
        return try write(to: name, isSealed: isSealed) { () throws(FileError) in reader.next() }
    }

    /// Encrypts a plaintext copy under another name.
    ///
    /// - Returns: Nil if the copy cannot be read to its end, or the work was stopped; the incomplete
    ///   file stays.
    func sealed(
        _ copy: CopiedFile, to name: String, unless isStopped: () -> Bool
    ) throws(FileError) -> CopiedFile? {
        let reader = try AttachmentReader("\(path)/\(copy.name)", copy)
        return try write(to: name, isSealed: true) { () throws(FileError) in
            isStopped() ? nil : reader.next()
        }
    }

    private func write(
        to name: String, isSealed: Bool, _ next: () throws(FileError) -> [UInt8]?
    ) throws(FileError) -> CopiedFile? {
        try DatabaseFiles.makeFolder(path)
        let key = isSealed ? Self.randomKey() : nil
        let seal = key.map { ChunkSeal($0) }
        let file = try PlainFile(writing: "\(path)/\(name)")
        var size: Int64 = 0
        while true {
            guard let chunk = try next() else { return nil }
            if chunk.isEmpty { break }
            try file.write(seal?.sealed(chunk, at: size) ?? chunk)
            size += Int64(chunk.count)
        }
        try file.sync()
        try PlainFile.syncFolder(path)
        return CopiedFile(name: name, size: size, key: key)
    }

    /// Returns a name for the copy of a message's file.
    ///
    /// Random digits, because a repair may reuse the numbers of lost items.
    static func newName(at place: Int64, _ index: Int) -> String {
        "\(place)-\(index)-\(randomDigits())"
    }

    /// Returns eight hexadecimal digits, for a name that no other file has.
    static func randomDigits() -> String {
        let number = unsafe SecretBytes.random(count: 4).withBytes { bytes in
            unsafe bytes.reduce(into: UInt64(1)) { $0 = $0 << 8 | UInt64($1) }
        }
        return String(String(number, radix: 16).dropFirst())
    }

    private static func randomKey() -> [UInt8] {
        unsafe SecretBytes.random(count: 32).withBytes { unsafe Array($0) }
    }

    /// Deletes copies of files; the next opening repeats a failed deletion.
    func delete(_ copies: [CopiedFile]) { delete(copies.map(\.name)) }

    func delete(_ names: [String]) {
        for name in names { try? PlainFile.delete("\(path)/\(name)") }
    }

    /// Whether all of some copies exist.
    func holds(_ copies: [CopiedFile]) -> Bool {
        copies.allSatisfy { PlainFile.modifiedAt("\(path)/\($0.name)") != nil }
    }

    /// Deletes copies that no item names, left by a crash before or after the item's time.
    ///
    /// Files written after `moment` stay: another process may be about to write their item.
    func deleteOrphans(
        writtenBefore moment: Timestamp, _ isKnown: (_ name: String) -> Bool
    ) {
        for name in PlainFile.names(in: path) where !isKnown(name) {
            let path = "\(path)/\(name)"
            guard let writtenAt = PlainFile.modifiedAt(path), writtenAt < moment.milliseconds
            else { continue }
            try? PlainFile.delete(path)
        }
    }
}

/// Reads a file piece by piece, decrypted; one caller at a time.
package final class AttachmentReader: Sendable {
    private enum Source: ~Copyable {
        case file(PlainFile)
        case bytes([UInt8])
    }

    private let source: Source
    private let seal: ChunkSeal?
    private let offset = Guarded<Int64>(0)
    private let failed = Guarded(false)
    /// The size before encryption.
    package let size: Int64

    init(_ path: String, _ copy: CopiedFile?) throws(FileError) {
        let file = try PlainFile(reading: path)
        if let copy { size = copy.size } else { size = try file.count() }
        seal = copy?.key.map { ChunkSeal($0) }
        source = .file(file)
    }

    convenience init(_ sealed: SealedCopy) throws(FileError) {
        try self.init(
            sealed.path, CopiedFile(name: "", size: sealed.size, key: sealed.key))
    }

    /// Opens a file of parameters.
    convenience init(_ file: OutgoingFile) throws(FileError) {
        switch (file.source, file.sealedCopy) {
        case (_, let sealed?): try self.init(sealed)
        case (.copy(let path), nil), (.reference(let path), nil): try self.init(path, nil)
        case (.bytes(let bytes), nil): self.init(bytes)
        case (.url, nil): self.init([])
        }
    }

    init(_ bytes: [UInt8]) {
        source = .bytes(bytes)
        size = Int64(bytes.count)
        seal = nil
    }

    /// Returns the next bytes, none at the end; nil if the file cannot be read further or has
    /// changed.
    package func next() -> [UInt8]? {
        guard let bytes = piece() else {
            failed.withLock { $0 = true }
            return nil
        }
        return bytes
    }

    /// Whether the file could not be read to its end.
    package var hasFailed: Bool { failed.withLock { $0 } }

    private func piece() -> [UInt8]? {
        let overhead = seal == nil ? 0 : SealedForm.overhead
        guard let bytes = stored(AttachmentFolder.chunk + overhead) else { return nil }
        let count = Int64(max(0, bytes.count - overhead))
        let start = offset.withLock { offset in
            defer { offset += count }
            return offset
        }
        guard !bytes.isEmpty else { return start == size ? [] : nil }
        guard start + count <= size else { return nil }
        guard let seal else { return bytes }
        return seal.opened(bytes, at: start)
    }

    /// Returns all bytes; nil if the file cannot be read or has changed.
    func all() -> [UInt8]? {
        var bytes: [UInt8] = []
        while let piece = next() {
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        return nil
    }

    private func stored(_ limit: Int) -> [UInt8]? {
        switch source {
        case .file(let file): return try? file.read(limit)
        case .bytes(let bytes):
            return Array(bytes.dropFirst(Int(offset.withLock { $0 })).prefix(limit))
        }
    }
}

/// Encrypts a file piece by piece, each bound to its place.
struct ChunkSeal: Sendable {
    private let sealer: Sealer

    init(_ key: [UInt8]) {
        sealer = Sealer(key: SecretBytes(copying: key.span), number: 0)
    }

    func sealed(_ chunk: [UInt8], at offset: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        sealer.seal(into: &bytes, at: .attachment(offset: offset)) { $0 += chunk }
        return bytes
    }

    /// Decrypts bytes; nil if they are not the original ones of this place.
    func opened(_ bytes: [UInt8], at offset: Int64) -> [UInt8]? {
        var chunk: [UInt8] = []
        do throws(SealError) {
            try sealer.open(bytes.span, at: .attachment(offset: offset), into: &chunk)
            return chunk
        } catch {
            return nil
        }
    }
}
