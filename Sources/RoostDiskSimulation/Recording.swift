// SPDX-License-Identifier: Apache-2.0

/// One change of the disk; files have numbers, because a name can be used again.
package enum DiskEvent: Sendable {
    /// A name was given to a new file, or to a file from before the recording.
    case link(file: Int, path: String, content: [UInt8])
    case unlink(path: String, isSynced: Bool)
    case write(file: Int, offset: Int, bytes: [UInt8])
    case truncate(file: Int, size: Int)
    /// A file was flushed; on Apple systems only some flushes pass the drive's own cache.
    case sync(file: Int, passesDrive: Bool)
}

/// The unsynced writes that have reached the disk when power fails.
package enum Survival: Equatable, Sendable {
    /// All of them: the program crashed, the system continued.
    case all
    case nothing
    /// Any sectors of 512 bytes, drawn from a seed; names in the order in which they were given.
    case some(seed: UInt64)
}

struct Recording: Sendable {
    private(set) var events: [DiskEvent] = []
    private(set) var numbers: [String: Int] = [:]
    private var byteCount = 0
    private var lastNumber = 0

    /// A test that writes more is a mistake.
    private static let byteLimit = 256 << 20

    mutating func append(_ event: DiskEvent) {
        if case .write(_, _, let bytes) = event { byteCount += bytes.count }
        if case .unlink(let path, _) = event { numbers[path] = nil }
        precondition(byteCount < Self.byteLimit, "A disk records at most 256 MB.")
        events.append(event)
    }

    mutating func begin(_ path: String, _ content: [UInt8]) -> Int {
        lastNumber += 1
        numbers[path] = lastNumber
        events.append(.link(file: lastNumber, path: path, content: content))
        return lastNumber
    }
}

/// The durable content of the disk: all synced writes, and a random part of the others.
struct Platter {
    private struct File {
        var content: [UInt8]
        var pending: [DiskEvent] = []
    }

    private enum NameChange {
        case link(String, Int)
        case unlink(String)
    }

    private var files: [Int: File] = [:]
    private var names: [String: Int] = [:]
    private var pendingNames: [NameChange] = []

    mutating func apply(_ event: DiskEvent) {
        switch event {
        case .link(let file, let path, let content):
            files[file] = File(content: content)
            if content.isEmpty {
                pendingNames.append(.link(path, file))
            } else {
                names[path] = file
            }
        case .unlink(let path, let isSynced):
            pendingNames.append(.unlink(path))
            if isSynced { settleNames(count: pendingNames.count) }
        case .write(let file, _, _), .truncate(let file, _):
            files[file]?.pending.append(event)
        case .sync(let number, _):
            // Removed for the time of the change, so that its bytes are changed in place.
            guard var file = files.removeValue(forKey: number) else { return }
            for event in file.pending { file.content.take(event) }
            file.pending = []
            files[number] = file
            // A file system that syncs a new file also writes its name, and the changes before it.
            let named = pendingNames.lastIndex { change in
                if case .link(_, number) = change { true } else { false }
            }
            if let named { settleNames(count: named + 1) }
        }
    }

    private mutating func settleNames(count: Int) {
        for change in pendingNames.prefix(count) {
            switch change {
            case .link(let path, let file): names[path] = file
            case .unlink(let path): names[path] = nil
            }
        }
        pendingNames.removeFirst(count)
    }

    /// Returns the files after a loss of power.
    func loss(_ survival: Survival) -> [String: [UInt8]] {
        var platter = self
        var random = Chance(survival)
        platter.settleNames(count: random.count(upTo: pendingNames.count))
        return platter.names.sorted { $0.key < $1.key }.reduce(into: [:]) { found, entry in
            guard let file = platter.files[entry.value] else { return }
            var content = file.content
            for event in file.pending { content.take(event, random: &random) }
            found[entry.key] = content
        }
    }
}

/// The random choice of the surviving writes.
private struct Chance {
    private let survival: Survival
    private var state: UInt64

    init(_ survival: Survival) {
        self.survival = survival
        if case .some(let seed) = survival { state = seed } else { state = 0 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func survives() -> Bool {
        switch survival {
        case .all: true
        case .nothing: false
        case .some: next() & 1 == 0
        }
    }

    mutating func count(upTo limit: Int) -> Int {
        switch survival {
        case .all: limit
        case .nothing: 0
        case .some: Int(next() % UInt64(limit + 1))
        }
    }
}

extension [UInt8] {
    fileprivate mutating func take(_ event: DiskEvent) {
        switch event {
        case .write(_, let offset, let bytes): put(bytes[...], at: offset)
        case .truncate(_, let size): resize(to: size)
        case .link, .unlink, .sync: break
        }
    }

    fileprivate mutating func take(_ event: DiskEvent, random: inout Chance) {
        switch event {
        case .write(_, let offset, let bytes):
            var start = 0
            while start < bytes.count {
                // Up to the next boundary of a sector of the disk.
                let end = Swift.min(bytes.count, start + 512 - (offset + start) % 512)
                if random.survives() { put(bytes[start..<end], at: offset + start) }
                start = end
            }
        case .truncate(_, let size):
            if random.survives() { resize(to: size) }
        case .link, .unlink, .sync: break
        }
    }

    private mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        if count < offset + bytes.count { resize(to: offset + bytes.count) }
        replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }

    private mutating func resize(to size: Int) {
        if size < count {
            removeLast(count - size)
        } else {
            append(contentsOf: repeatElement(0, count: size - count))
        }
    }
}
