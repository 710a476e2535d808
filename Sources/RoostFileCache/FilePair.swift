// SPDX-License-Identifier: Apache-2.0

/// A data file and the sidecar with its SHA-256, written and validated together.
struct FilePair {
    let data: String
    let hash: String
    private let disk: any FileCacheDisk

    init(path: String, on disk: any FileCacheDisk) {
        data = path + ".data"
        hash = path + ".hash"
        self.disk = disk
    }

    /// The text, and whether the sidecar agrees with it; nil without a file.
    var contents: (text: String, isConsistent: Bool)? {
        guard let text = try? disk.read(data), !text.isEmpty else { return nil }
        return (text, (try? disk.read(hash)) == SerializedLine.digest(text))
    }

    /// Replaces the text by way of two temporary files; returns whether it succeeded.
    func replace(with text: String, by fresh: String) -> Bool {
        let digest = SerializedLine.digest(text)
        let hadHash = disk.exists(hash)
        for path in [data, hash] where !disk.exists(path) {
            guard disk.attempt({ try $0.write("", to: path) }) else { return false }
        }
        // The sidecar alone does not prove the file's contents: a crash may have come between the
        // two writes.
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
