// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// Where a store keeps its databases.
package enum StoreLocation: Hashable, Sendable {
    /// Nowhere: everything is gone when the store closes.
    case memory
    /// Below this folder, in one of its own for each application and user.
    case folder(String)
    /// In this folder itself, for tools that have found one.
    case files(in: String)

    /// The files of one owner; nil in memory.
    package func files(of owner: StoreOwner) -> StoreFiles? {
        switch self {
        case .memory: nil
        case .files(let folder): StoreFiles(folder: folder)
        case .folder(let folder):
            StoreFiles(
                folder: "\(folder)/\(owner.application.asFileName)/\(owner.user.asFileName)")
        }
    }
}

/// The files of one application's one user.
package struct StoreFiles: Hashable, Sendable {
    package let folder: String

    package var cache: String { "\(folder)/cache.sqlite" }
    /// The unfinished copy of a damaged cache, while the salvage writes it.
    var unfinishedCache: String { "\(folder)/cache.unfinished" }
    /// Says that somebody has met damage in the cache, and nobody has checked it since.
    var suspicion: String { "\(folder)/cache.suspect" }
    package var outbox: String { "\(folder)/outbox.sqlite" }
    /// The complete salvage of a damaged outbox, before it is moved to the outbox's place.
    var salvagedOutbox: String { "\(folder)/outbox.salvaged" }
    /// The same while it is being written.
    var unfinishedOutbox: String { "\(folder)/outbox.unfinished" }
    /// The record of the outbox's last repair: the numbers of the saved items.
    var repairRecord: String { "\(folder)/outbox.repaired" }
    /// A second copy of what opens a sealed outbox.
    package var vaultCopy: String { "\(folder)/outbox.vault" }
    /// Copies of the files that unsent messages carry.
    package var attachments: String { "\(folder)/outbox.files" }
    /// Held by the one process that sends what the outbox holds.
    package var sendingLock: String { "\(folder)/outbox.sending" }
    /// Held while the cache is open; whoever writes to the cache writes to it too, see `FileBell`.
    package var lock: String { "\(folder)/lock" }
    /// Held while the outbox is open.
    package var outboxLock: String { "\(folder)/outbox.lock" }
}

extension String {
    /// This name as one component of a path, different for different names.
    ///
    /// Only small letters, digits, `_` and `-` stand for themselves; every other byte becomes `%XX`, so
    /// that `..`, `/`, NUL and letters that some file systems take for the same do no harm. A name too
    /// long for a file system is cut and ends in its hash.
    var asFileName: String {
        var name = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                name += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        // "%" alone stands for no other name.
        if name.isEmpty { return "%" }
        guard name.utf8.count > 120 else { return name }
        return "\(name.prefix(100))~\(String(utf8.fnv1a, radix: 16))"
    }

    /// The string that `asFileName` turned into a file name; nil if the name was cut.
    var fromFileName: String? {
        if self == "%" { return "" }
        guard !contains("~") else { return nil }
        var bytes: [UInt8] = []
        var rest = self[...].utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
