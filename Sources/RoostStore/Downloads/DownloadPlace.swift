// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostSQLite
internal import RoostSealing

/// The files of one download.
///
///     NAME             the whole file
///     NAME.part        whole pieces of an incomplete one, from its beginning on
///     NAME.part.info   its version: the size and the entity tag, a line each
struct DownloadPlace {
    let address: String
    let folder: String
    let name: String
    private let names: DownloadNames

    private static let digits = 40

    init(_ address: String, in folder: String, _ names: DownloadNames) {
        self.address = address
        self.folder = folder
        self.names = names
        name = names.name(of: address)
    }

    private var path: String { "\(folder)/\(name)" }
    private var part: String { path + ".part" }
    private var info: String { path + ".part.info" }

    /// Returns the name of the download that a file of the folder belongs to; nil for another file.
    static func name(ofFile file: String) -> String? {
        guard file.utf8.count >= digits,
            file.utf8.prefix(digits).allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 })
        else { return nil }
        for ending in [".part.info", ".part"] where file.hasSuffix(ending) {
            return String(file.dropLast(ending.count))
        }
        return file
    }

    /// Deletes all files of a download.
    static func delete(_ name: String, in folder: String) throws(FileError) {
        for ending in ["", ".part", ".part.info"] {
            try PlainFile.delete("\(folder)/\(name)\(ending)")
        }
    }

    func copy(size: Int64) -> DownloadedCopy {
        DownloadedCopy(address: address, path: path, size: size, isSealed: names.isSealed)
    }

    // MARK: Whole files

    /// The whole file; nil if there is none, or none that the present key opens.
    var held: DownloadedCopy? {
        guard let stored = PlainFile.extent(path)?.byteCount else { return nil }
        let copy = copy(size: plainCount(stored))
        // An encrypted file without bytes has one empty piece, so a file that was emptied is no file.
        guard stored == max(storedCount(copy.size), overhead) else { return nil }
        guard names.isSealed else { return copy }
        guard let piece = reader(of: copy)?.next(), piece.isEmpty == (copy.size == 0) else {
            return nil
        }
        return copy
    }

    /// Returns a reader of a whole file; nil if it cannot be opened.
    func reader(of copy: DownloadedCopy) -> AttachmentReader? {
        try? AttachmentReader(
            copy.path,
            CopiedFile(
                name: name, size: copy.size, key: names.key(of: address, size: copy.size)))
    }

    /// Makes a part with all its bytes the whole file.
    func finish() throws(FileError) {
        try PlainFile(reading: part).sync()
        try PlainFile.move(part, to: path)
        try PlainFile.delete(info)
    }

    // MARK: Parts

    /// The part on disk, without a torn last piece; nil if there is none.
    var storedPart: FileFetch.Part? {
        guard let (total, validator) = version, let extent = PlainFile.extent(part) else {
            return nil
        }
        var received = plainCount(extent.byteCount)
        if received != total { received -= received % FileFetch.piece }
        guard received <= total else { return nil }
        return FileFetch.Part(total: total, validator: validator, received: received)
    }

    /// Begins a part of another version.
    func begin(_ new: FileFetch.Part) throws(FileError) {
        try deletePart()
        var bytes = Array("\(new.total)\n\(new.validator)\n".utf8)
        if let key = names.versionKey(of: address) {
            bytes = ChunkSeal(key).sealed(bytes, at: Self.versionOffset)
        }
        try PlainFile(writing: info).write(bytes)
    }

    /// Writes bytes behind the first ones of a part.
    func append(_ bytes: [UInt8], at received: Int64, total: Int64) throws(FileError) {
        let file = try PlainFile(continuing: part, at: storedCount(received))
        guard let key = names.key(of: address, size: total) else { return try file.write(bytes) }
        let seal = ChunkSeal(key)
        var rest = bytes[...]
        var offset = received
        repeat {
            let piece = Array(rest.prefix(Int(FileFetch.piece)))
            try file.write(seal.sealed(piece, at: offset))
            offset += Int64(piece.count)
            rest = rest.dropFirst(piece.count)
        } while !rest.isEmpty
    }

    func deletePart() throws(FileError) {
        try PlainFile.delete(part)
        try PlainFile.delete(info)
    }

    /// No piece begins here.
    private static let versionOffset: Int64 = -1
    private static let longestVersion = 512

    private var version: (total: Int64, validator: String)? {
        guard var bytes = try? PlainFile(reading: info).read(Self.longestVersion) else {
            return nil
        }
        if let key = names.versionKey(of: address) {
            guard let opened = ChunkSeal(key).opened(bytes, at: Self.versionOffset) else {
                return nil
            }
            bytes = opened
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, let total = Int64(lines[0]), total >= 0 else { return nil }
        return (total, String(lines[1]))
    }

    // MARK: Sizes

    private var overhead: Int64 { names.isSealed ? Int64(SealedForm.overhead) : 0 }

    /// Returns the size on disk of the first bytes of a file.
    private func storedCount(_ plain: Int64) -> Int64 {
        plain + (plain + FileFetch.piece - 1) / FileFetch.piece * overhead
    }

    /// Returns the number of bytes in a file of some size on disk.
    private func plainCount(_ stored: Int64) -> Int64 {
        let (pieces, rest) = stored.quotientAndRemainder(dividingBy: FileFetch.piece + overhead)
        return pieces * FileFetch.piece + max(0, rest - overhead)
    }
}
