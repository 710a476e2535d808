// SPDX-License-Identifier: Apache-2.0

/// A file with the master key that only its owner may read.
///
///     roost-key 1
///     <64 hexadecimal digits>        the key for sealing
///     <64 hexadecimal digits>        the previous key, during a replacement
///     sha256 <64 digits of all lines above>
///
/// The file is replaced atomically, and a new key is durable before anything is sealed with it. A copy of
/// the file together with the sealed data reveals them: keep it out of backups of the data.
package struct KeyFile: Sendable {
    /// The steps of a write; the process may end between any two of them.
    package enum Step: Hashable, Sendable, CaseIterable {
        case writeBeside, synchronize, putInPlace, synchronizeFolder
    }

    package let path: String
    /// The handler called before each step; a test simulates a crash there.
    private let before: @Sendable (Step) throws(KeyFileError) -> Void
    /// The longest wait for another process, which writes for some milliseconds.
    private let patience: Duration

    package init(
        _ path: String, patience: Duration = .seconds(5),
        before: @escaping @Sendable (Step) throws(KeyFileError) -> Void = { _ in }
    ) {
        self.path = path
        self.patience = patience
        self.before = before
    }

    /// Returns the keys in the file; nil without a file.
    ///
    /// - Throws: `.exposed` if others may read or change the file or the folder; `.damaged`,
    ///   `.system`.
    package func read() throws(KeyFileError) -> MasterKeys? {
        guard var bytes = try KeyFileAccess(path).read() else { return nil }
        defer { bytes.wipe() }
        return try KeyFileForm.keys(in: bytes, path: path)
    }

    /// Returns the keys in the file, which is created with a new key if it is missing.
    ///
    /// Two simultaneous processes get the same key.
    package func readOrMake() throws(KeyFileError) -> MasterKeys {
        if let keys = try read() { return keys }
        return try change { keys in keys ?? MasterKeys(.random()) }
    }

    /// Adds a new key before the current one, durable when the call returns.
    ///
    /// An unfinished replacement is resumed: its key is returned again. Seal everything under the
    /// new key, and call `finishReplacement` only then.
    package func beginReplacement() throws(KeyFileError) -> MasterKeys {
        try change { keys in
            guard let keys else { return MasterKeys(.random()) }
            guard keys.previous.isEmpty else { return keys }
            return MasterKeys(.random(), previous: [keys.current])
        }
    }

    /// Removes the old key if the present one is in use; data that are still sealed with the old one
    /// are lost.
    ///
    /// The closure returns whether everything is sealed with a key. It is called while the file is
    /// locked, because another process may have begun a replacement a moment before.
    package func finishReplacement(
        ifInUse isInUse: (MasterKey) -> Bool
    ) throws(KeyFileError) {
        guard let keys = try read(), !keys.previous.isEmpty else { return }
        _ = try change { found in
            // A file that was removed meanwhile gets its keys back.
            let present = found ?? keys
            return isInUse(present.current) ? MasterKeys(present.current) : present
        }
    }

    /// Reads, changes and writes the file while other processes wait.
    private func change(
        _ decide: (MasterKeys?) -> MasterKeys
    ) throws(KeyFileError) -> MasterKeys {
        let access = KeyFileAccess(path)
        let lock = try access.lock(patience: patience)
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

    package func forgetPrevious(
        ifInUse isInUse: (MasterKey) -> Bool
    ) throws(MasterKeyError) {
        do throws(KeyFileError) {
            try finishReplacement(ifInUse: isInUse)
        } catch {
            throw .unavailable(error.description)
        }
    }
}

/// The reason why a key file could not be read or written; the file is unchanged.
package enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Other users may read or change the file; the text names the command that prevents it.
    case exposed(String)
    /// The file was not written by this library; it stays as it is.
    case damaged(String)
    /// The system refused; the text is its description.
    case system(String)

    package var description: String {
        switch self {
        case .exposed(let text), .damaged(let text), .system(let text): text
        }
    }
}

/// The contents of a key file.
enum KeyFileForm {
    private static let title = "roost-key 1\n"
    private static let sumTitle = "sha256 "

    static func bytes(of keys: MasterKeys) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)  // No copy of a key remains in an outgrown buffer.
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
            "\(path) is not a sound key file: restore a copy of it. What it sealed is untouched."
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
