// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// The place of a store's databases.
package enum StoreLocation: Equatable, Sendable {
    /// In memory; the content is gone when the store closes.
    case memory
    /// In a folder with one subfolder for each application and user.
    case folder(String)
    /// In exactly this folder, for tools that have found one.
    case files(in: String)

    /// Returns the files of one owner; nil in memory.
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

/// The files of one user in one application.
package struct StoreFiles: Equatable, Sendable {
    package let folder: String

    package var cache: String { "\(folder)/cache.sqlite" }
    /// The unfinished copy of a damaged cache, while the salvage writes it.
    var unfinishedCache: String { "\(folder)/cache.unfinished" }
    /// The mark of damage found in the cache and not checked yet.
    var suspicion: String { "\(folder)/cache.suspect" }
    package var outbox: String { "\(folder)/outbox.sqlite" }
    /// The complete salvage of a damaged outbox, before it is moved to the outbox's place.
    var salvagedOutbox: String { "\(folder)/outbox.salvaged" }
    /// The incomplete salvage of a damaged outbox.
    var unfinishedOutbox: String { "\(folder)/outbox.unfinished" }
    /// The record of the outbox's last repair: the numbers of the saved items.
    var repairRecord: String { "\(folder)/outbox.repaired" }
    /// A second copy of the vault of an encrypted outbox.
    package var vaultCopy: String { "\(folder)/outbox.vault" }
    /// Copies of the files of unsent messages.
    package var attachments: String { "\(folder)/outbox.files" }
    /// The downloaded files of messages.
    package var downloads: String { "\(folder)/files" }
    /// The same, encrypted.
    package var sealedDownloads: String { "\(folder)/files.sealed" }
    /// The lock of the one process that sends the items of the outbox.
    package var sendingLock: String { "\(folder)/outbox.sending" }
    /// The lock of an open cache; each commit also writes to it, see `ChangeSignal`.
    package var lock: String { "\(folder)/lock" }
    /// The lock of an open outbox.
    package var outboxLock: String { "\(folder)/outbox.lock" }
}

extension String {
    /// Returns this name as one component of a path, different for different names.
    ///
    /// Small letters, digits, `_` and `-` are kept; every other byte becomes `%XX`. So `..`, `/`,
    /// NUL and letters that a file system regards as equal do no harm. A name too long for a file
    /// system is truncated and ends in its hash.
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
        // The result "%" is unique to the empty name.
        if name.isEmpty { return "%" }
        guard name.utf8.count > 120 else { return name }
        return "\(name.prefix(100))~\(String(utf8.fnv1a, radix: 16))"
    }

    /// The original of a name made by `asFileName`; nil if the name was truncated.
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
