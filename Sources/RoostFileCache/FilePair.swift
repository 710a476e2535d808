// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A data file and the sidecar with its SHA-256, written and validated together.
struct FilePair {
    /// The ending of the name of a channel list, before that of the file.
    static let listEnding = "_channellist"
    private static let dataEnding = ".data"
    private static let hashEnding = ".hash"

    /// The files of a cache, as their names tell; an app may have others in the same folder.
    enum Kind {
        /// A saved list, or its sidecar.
        case kept
        /// A file that was written and not moved to its place yet.
        case temporary

        /// Nil for a name that no cache gives.
        init?(name: String) {
            let endings = [FilePair.dataEnding, FilePair.hashEnding]
            guard let ending = endings.first(where: { name.hasSuffix($0) }) else { return nil }
            var stem = name.dropLast(ending.count)
            if stem.hasSuffix(FilePair.listEnding) {
                stem = stem.dropLast(FilePair.listEnding.count)
            }
            if UUID(uuidString: String(stem)) != nil {
                self = .temporary
            } else if stem.utf8.count == 64, stem.allSatisfy(\.isHexDigit) {
                self = .kept
            } else {
                return nil
            }
        }
    }

    let data: String
    let hash: String
    private let disk: any FileCacheDisk

    init(path: String, on disk: any FileCacheDisk) {
        data = path + Self.dataEnding
        hash = path + Self.hashEnding
        self.disk = disk
    }

    /// The text, and whether the sidecar agrees with it; nil if the file is missing, unreadable or
    /// empty.
    var contents: (text: String, isConsistent: Bool)? {
        guard let text = try? disk.read(data), !text.isEmpty else { return nil }
        return (text, (try? disk.read(hash)) == SerializedLine.digest(text))
    }

    /// Replaces the text by way of two temporary files; returns whether it succeeded.
    ///
    /// `fresh` is an unused path for the temporary files. After a failed move the pair is removed.
    /// A crash between the two moves leaves new data beside an old sidecar, so `contents` is not
    /// consistent.
    func replace(with text: String, by fresh: String) -> Bool {
        let digest = SerializedLine.digest(text)
        let hadHash = disk.exists(hash)
        for path in [data, hash] where !disk.exists(path) {
            // Another process may have saved the file since the look at it.
            guard disk.attempt({ try $0.make(path) }) else { return false }
        }
        // Equal text is not written again. The data are compared too, because after a crash the
        // sidecar may be that of another text.
        if hadHash, contents?.isConsistent == true, (try? disk.read(hash)) == digest {
            return true
        }
        let new = FilePair(path: fresh, on: disk)
        guard disk.attempt({ try $0.write(text, to: new.data) }),
            disk.attempt({ try $0.write(digest, to: new.hash) })
        else {
            new.remove()
            return false
        }
        guard disk.attempt({ try $0.move(new.data, to: data) }),
            disk.attempt({ try $0.move(new.hash, to: hash) })
        else {
            new.remove()
            remove()
            return false
        }
        disk.sweep(beside: data)
        return true
    }

    private func remove() {
        for path in [data, hash] { _ = disk.attempt { try $0.remove(path) } }
    }
}
