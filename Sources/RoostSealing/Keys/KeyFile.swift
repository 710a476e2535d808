// SPDX-License-Identifier: Apache-2.0

/// Keeps the master key in a file that only its owner may read.
///
///     roost-key 1
///     <64 hexadecimal digits>        the key to seal with
///     <64 hexadecimal digits>        the one before, while it is being replaced
///     sha256 <64 digits of all lines above>
///
/// The file is replaced as a whole or not at all, and a new key is on the disk before anything is sealed
/// with it. Whoever copies the file together with the sealed data can read them: keep it out of backups
/// of the data.
package struct KeyFile: Sendable {
    /// What writing consists of; between any two of them the process may end.
    package enum Step: Hashable, Sendable, CaseIterable {
        case writeBeside, synchronize, putInPlace, synchronizeFolder
    }

    package let path: String
    /// Called before each step; for tests, which end there as a crash would.
    private let before: @Sendable (Step) throws(KeyFileError) -> Void

    package init(
        _ path: String,
        before: @escaping @Sendable (Step) throws(KeyFileError) -> Void = { _ in }
    ) {
        self.path = path
        self.before = before
    }

    /// The keys in the file; nil when there is no file.
    ///
    /// - Throws: `.exposed` for a file or folder that others may read or change, `.damaged`, `.system`.
    package func read() throws(KeyFileError) -> MasterKeys? {
        guard var bytes = try KeyFileAccess(path).read() else { return nil }
        defer { bytes.wipe() }
        return try KeyFileForm.keys(in: bytes, path: path)
    }

    /// The keys in the file, which is made with a new key when there is none.
    ///
    /// Two processes that come at once get the same key.
    package func readOrMake() throws(KeyFileError) -> MasterKeys {
        if let keys = try read() { return keys }
        return try change { keys in keys ?? MasterKeys(.random()) }
    }

    /// Puts a new key before the one in the file, on the disk when this returns.
    ///
    /// A replacement that was begun and not finished is gone on with: its key is returned again.
    /// Everything sealed must then be given the new key, and only then `finishReplacement` be called.
    package func beginReplacement() throws(KeyFileError) -> MasterKeys {
        try change { keys in
            guard let keys else { return MasterKeys(.random()) }
            guard keys.previous.isEmpty else { return keys }
            return MasterKeys(.random(), previous: [keys.current])
        }
    }

    /// Forgets the old key; what it sealed and nobody gave the new one is then lost.
    package func finishReplacement() throws(KeyFileError) {
        guard let keys = try read(), !keys.previous.isEmpty else { return }
        // A file that went meanwhile is not made again: its key is what was asked for.
        _ = try change { found in MasterKeys((found ?? keys).current) }
    }

    /// Reads, decides and writes while no other process does.
    private func change(
        _ decide: (MasterKeys?) -> MasterKeys
    ) throws(KeyFileError) -> MasterKeys {
        let access = KeyFileAccess(path)
        let lock = try access.lock()
        defer { access.unlock(lock) }
        let found = try read()
        let keys = decide(found)
        if let found, found.isSame(as: keys) { return keys }
        var bytes = KeyFileForm.bytes(of: keys)
        defer { bytes.wipe() }
        try access.write(bytes, before: before)
        return keys
    }
}

extension KeyFile: MasterKeySource {
    package func masterKeys(makesMissing: Bool) throws(MasterKeyError) -> MasterKeys? {
        do throws(KeyFileError) {
            return try makesMissing ? readOrMake() : read()
        } catch {
            throw .unavailable(error.description)
        }
    }

    package func forgetPrevious() throws(MasterKeyError) {
        do throws(KeyFileError) {
            try finishReplacement()
        } catch {
            throw .unavailable(error.description)
        }
    }
}

/// Why a key file was not read or written; it was not changed.
package enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Others may read or change it; the text says which command ends that.
    case exposed(String)
    /// It is not what this library writes; it stays as it is.
    case damaged(String)
    /// The system refused; its words.
    case system(String)

    package var description: String {
        switch self {
        case .exposed(let text), .damaged(let text), .system(let text): text
        }
    }
}

/// What stands in a key file.
enum KeyFileForm {
    private static let title = "roost-key 1\n"
    private static let sumTitle = "sha256 "

    static func bytes(of keys: MasterKeys) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)  // No copy of a key stays behind in an outgrown buffer.
        bytes.append(contentsOf: title.utf8)
        for key in keys.all {
            // SAFETY: the key's bytes are read one by one.
            unsafe key.withBytes { key in
                for index in 0..<MasterKey.byteCount { bytes.append(digitsOf: unsafe key[index]) }
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        let sum = [UInt8].sha256(of: bytes)
        bytes.append(contentsOf: sumTitle.utf8)
        for byte in sum { bytes.append(digitsOf: byte) }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    static func keys(in bytes: [UInt8], path: String) throws(KeyFileError) -> MasterKeys {
        let damaged = KeyFileError.damaged(
            "\(path) is not a sound key file: bring back a copy of it. What it sealed is untouched."
        )
        let sumCount = sumTitle.utf8.count + 65
        let keyCount = (bytes.count - title.utf8.count - sumCount) / 65
        guard bytes.starts(with: title.utf8), keyCount > 0,
            bytes.count == title.utf8.count + keyCount * 65 + sumCount
        else { throw damaged }
        let body = bytes.prefix(bytes.count - sumCount)
        var end: [UInt8] = Array(sumTitle.utf8)
        for byte in [UInt8].sha256(of: Array(body)) { end.append(digitsOf: byte) }
        end.append(UInt8(ascii: "\n"))
        guard bytes.suffix(sumCount).elementsEqual(end) else { throw damaged }
        var keys: [MasterKey] = []
        for index in 0..<keyCount {
            let start = title.utf8.count + index * 65
            guard var key = [UInt8](digits: body[start..<(start + 64)]) else { throw damaged }
            defer { key.wipe() }
            guard let key = try? MasterKey(key) else { throw damaged }
            keys.append(key)
        }
        return MasterKeys(keys[0], previous: Array(keys.dropFirst()))
    }
}

extension [UInt8] {
    fileprivate mutating func append(digitsOf byte: UInt8) {
        for digit in [byte >> 4, byte & 15] {
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }

    fileprivate init?(digits: ArraySlice<UInt8>) {
        self = []
        reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
    }
}
