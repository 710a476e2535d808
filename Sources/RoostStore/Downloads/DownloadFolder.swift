// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostExecutors
internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

/// A downloaded file on disk.
package struct DownloadedCopy: Hashable, Sendable {
    package let address: String
    /// The path; of encrypted bytes if `isSealed`.
    package let path: String
    /// The size before encryption.
    package let size: Int64
    package let isSealed: Bool
}

/// The folder of the downloaded files, whole and in parts, of one user.
///
/// Several processes may use one folder: each step holds its lock, and a part that another process
/// has brought further is continued there. A whole file has been written to its end and synced
/// before it gets its name.
package actor DownloadFolder {
    private nonisolated let executor: any SerialExecutor
    /// Nil in memory.
    private let files: StoreFiles?
    private let protection: StoreProtection
    private let gate: SuspensionGate
    private let now: (@Sendable () -> Timestamp)?
    /// The greatest size of all files in bytes.
    package nonisolated let limit: Int64
    /// The downloads in progress by their names: their number, and their size once it is known.
    private var running: [String: (users: Int, total: Int64)] = [:]
    private var names: DownloadNames?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(
        on executor: any SerialExecutor, files: StoreFiles?, _ protection: StoreProtection,
        limit: Int64, now: (@Sendable () -> Timestamp)?, _ switchboard: StoreSwitch
    ) {
        self.executor = executor
        self.files = files
        self.protection = protection
        self.limit = limit
        self.now = now
        gate = switchboard.makeGate()
    }

    /// The result of the beginning of a download, and of each of its writes.
    package enum State: Sendable {
        case whole(DownloadedCopy)
        /// The part that is on disk; nil for none.
        case part(FileFetch.Part?)
    }

    // MARK: A download

    /// Begins the download of an address; the caller ends it with `end`.
    package func begin(_ address: String) async throws(StoreError) -> State {
        let place = try self.place(of: address)
        running[place.name, default: (0, 0)].users += 1
        return try await locked(place.folder) { () throws(FileError) -> State in
            if let copy = held(place) { return .whole(copy) }
            // Without a validator, the rest may be of another version.
            guard let part = storedPart(place), !part.validator.isEmpty else {
                try place.deletePart()
                return .part(nil)
            }
            if part.received == part.total { return .whole(try finish(place, part.total)) }
            return .part(part)
        }
    }

    /// Writes bytes behind a part.
    ///
    /// - Parameters:
    ///   - bytes: The bytes: whole pieces, except at the end of the file.
    ///   - part: The part behind which they belong; with nothing received, the file begins anew.
    ///   - address: The address of a begun download.
    /// - Returns: The whole file, or the part that is on disk now.
    /// - Throws: `.full` without room on the disk or in the folder.
    package func write(
        _ bytes: [UInt8], behind part: FileFetch.Part, of address: String
    ) async throws(StoreError) -> State {
        let place = try self.place(of: address)
        if running[place.name]?.total != part.total {
            running[place.name]?.total = part.total
            try await makeRoom()
        }
        return try await locked(place.folder) { () throws(FileError) -> State in
            if let copy = held(place) { return .whole(copy) }
            let stored = storedPart(place)
            var part = part
            if part.received == 0, stored?.isVersion(of: part) != true || part.validator.isEmpty {
                try place.begin(part)
            } else {
                // Another process has dropped the part, or has brought it further.
                guard let stored, stored.isVersion(of: part) else { return .part(nil) }
                guard stored.received == part.received else { return .part(stored) }
            }
            try place.append(bytes, at: part.received, total: part.total)
            part.received += Int64(bytes.count)
            guard part.received == part.total else { return .part(part) }
            return .whole(try finish(place, part.total))
        }
    }

    /// Ends a download; its part stays.
    package func end(_ address: String) {
        guard let name = try? place(of: address).name, let users = running[name]?.users else {
            return
        }
        running[name]?.users = users - 1
        if users <= 1 { running[name] = nil }
    }

    private func finish(
        _ place: DownloadPlace, _ total: Int64
    ) throws(FileError) -> DownloadedCopy {
        try place.finish()
        let copy = place.copy(size: total)
        noteUse(of: copy)
        return copy
    }

    // MARK: The files

    /// Returns the downloaded file of an address, and counts a use of it; nil if there is none.
    package func copy(of address: String) async throws(StoreError) -> DownloadedCopy? {
        let place = try self.place(of: address)
        return try await locked(place.folder) { () throws(FileError) -> DownloadedCopy? in
            held(place)
        }
    }

    /// Returns the bytes of a downloaded file.
    ///
    /// - Throws: `.fileUnreadable` if it is gone or was changed.
    package func contents(of address: String) async throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        try await read(address) { bytes += $0 }
        return bytes
    }

    /// Copies a downloaded file, decrypted, to a path; an existing file there is replaced when the copy
    /// is whole.
    ///
    /// - Throws: `.fileUnreadable` if it is gone or was changed; `.full` or `.notAccessible` if the path
    ///   cannot be written.
    package func export(_ address: String, to path: String) async throws(StoreError) {
        // A name of its own: another program may have a file `.part`, or another copy be running.
        let unfinished = "\(path).\(AttachmentFolder.randomDigits()).part"
        let copy: UnfinishedCopy
        do { copy = try UnfinishedCopy(unfinished) } catch { throw Self.error(error) }
        do throws(StoreError) {
            try await read(address) { copy.write($0) }
            do {
                try copy.finish()
                try PlainFile.move(unfinished, to: path)
            } catch {
                throw Self.error(error)
            }
        } catch {
            try? PlainFile.delete(unfinished)
            throw error
        }
    }

    private func read(
        _ address: String, _ take: ([UInt8]) -> Void
    ) async throws(StoreError) {
        let place = try self.place(of: address)
        // The file stays open during a suspension, and is read on after it.
        var begun: AttachmentReader?
        let isWhole = try await gate.perform(isolation: self, orThrow: .canceled) {
            () throws(StoreError) -> Bool? in
            if begun == nil { begun = held(place).flatMap { place.reader(of: $0) } }
            guard let reader = begun else { return false }
            while true {
                if gate.isClosed { return nil }
                guard let piece = reader.next() else { return false }
                if piece.isEmpty { return true }
                take(piece)
            }
        }
        guard isWhole else {
            throw StoreError(
                .fileUnreadable, "The downloaded file is gone or cannot be read: download it again."
            )
        }
    }

    /// Returns the bytes of all files on disk, parts included.
    package func byteCount() async throws(StoreError) -> Int64 {
        let folder = try self.folder()
        return try await gate.perform(isolation: self, orThrow: .canceled) {
            () throws(StoreError) -> Int64? in
            Self.entries(of: folder).reduce(0) { $0 + $1.byteCount }
        }
    }

    /// Deletes all files and the parts of downloads that are not in progress.
    package func clear() async throws(StoreError) {
        guard files != nil else { return }
        let folder = try self.folder()
        try await locked(folder) { () throws(FileError) in
            for entry in Self.entries(of: folder) where running[entry.name] == nil {
                try DownloadPlace.delete(entry.name, in: folder)
            }
        }
    }

    /// Returns when no step is in progress; later ones wait at the closed gate.
    func letGo() {}

    // MARK: Room

    /// Deletes the least recently used files until the running downloads have room.
    private func makeRoom() async throws(StoreError) {
        let folder = try self.folder()
        let hasRoom = try await locked(folder) { () throws(FileError) -> Bool in
            let others = Self.entries(of: folder).filter { running[$0.name] == nil }
            let taken = running.values.reduce(0 as Int64) { $0.addingSaturated($1.total) }
            guard let plan = FileEviction.plan(others, taken: taken, limit: limit) else {
                return false
            }
            for name in plan { try DownloadPlace.delete(name, in: folder) }
            return true
        }
        guard hasRoom else {
            throw StoreError(
                .full,
                "Other downloads take the room of this file: wait for them, or raise "
                    + "Configuration.downloadsLimit.")
        }
    }

    /// Returns the files of a folder by the names of their downloads.
    private static func entries(of folder: String) -> [HeldFile] {
        var found: [String: HeldFile] = [:]
        for file in PlainFile.names(in: folder) {
            guard let name = DownloadPlace.name(ofFile: file),
                let extent = PlainFile.extent("\(folder)/\(file)")
            else { continue }
            let other = found[name]
            found[name] = HeldFile(
                name: name, byteCount: extent.byteCount + (other?.byteCount ?? 0),
                usedAt: max(
                    Timestamp(milliseconds: extent.writtenAt), other?.usedAt ?? .distantPast))
        }
        return Array(found.values)
    }

    // MARK: Steps

    private func folder() throws(StoreError) -> String {
        guard let files else {
            throw StoreError(
                .folderNotWritable,
                "A client in memory has no folder for files: give its configuration a folder.")
        }
        if names == nil {
            let names = DownloadNames(try protection.masterKey())
            if !names.isSealed {
                // The key of an earlier encryption is gone.
                for file in PlainFile.names(in: files.sealedDownloads) {
                    try? PlainFile.delete("\(files.sealedDownloads)/\(file)")
                }
            }
            self.names = names
        }
        return names?.isSealed == true ? files.sealedDownloads : files.downloads
    }

    private func place(of address: String) throws(StoreError) -> DownloadPlace {
        let folder = try self.folder()
        guard let names else { throw .closed }
        return DownloadPlace(address, in: folder, names)
    }

    /// Returns a whole file, which counts as used now; nil if there is none that can be opened.
    private func held(_ place: DownloadPlace) -> DownloadedCopy? {
        guard let copy = place.held else { return nil }
        noteUse(of: copy)
        return copy
    }

    private func noteUse(of copy: DownloadedCopy) {
        // The order of eviction is the only loss if the time cannot be set.
        if let now { try? PlainFile.setWritten(copy.path, at: now().milliseconds) }
    }

    private func storedPart(_ place: DownloadPlace) -> FileFetch.Part? {
        guard let part = place.storedPart, part.total <= limit else { return nil }
        return part
    }

    private func locked<Value>(
        _ folder: String, _ body: () throws(FileError) -> Value
    ) async throws(StoreError) -> Value {
        try await gate.perform(isolation: self, orThrow: .canceled) {
            () throws(StoreError) -> Value? in
            do throws(FileError) {
                try DatabaseFiles.makeFolder(folder)
                guard let lock = try self.lock("\(folder)/lock") else { return nil }
                defer { withExtendedLifetime(lock) {} }
                return try body()
            } catch {
                throw Self.error(error)
            }
        }
    }

    /// Waits for another process's step; nil if the store is suspended meanwhile.
    private func lock(_ lockFile: String) throws(FileError) -> FolderLock? {
        let deadline = LockDeadline(after: .seconds(5))
        while true {
            if gate.isClosed { return nil }
            do throws(FileError) {
                return try FolderLock(file: lockFile, patience: .milliseconds(20))
            } catch  where error.isTaken && !deadline.isOver {
                continue
            }
        }
    }

    static func error(_ error: FileError) -> StoreError {
        error.isFull
            ? StoreError(.full, "The disk is full: free some space, and download the file again.")
            : StoreError(.notAccessible, "The downloaded file cannot be kept: \(error.description)")
    }
}

/// A file that is being copied; after a failure it takes no more.
private final class UnfinishedCopy {
    private let file: PlainFile
    private var failure: FileError?

    init(_ path: String) throws(FileError) { file = try PlainFile(making: path) }

    func write(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        do throws(FileError) { try file.write(bytes) } catch { failure = error }
    }

    /// Returns when the whole file survives a loss of power.
    func finish() throws(FileError) {
        if let failure { throw failure }
        try file.sync()
    }
}

extension FileFetch.Part {
    /// Whether two parts are of the same version of a file.
    fileprivate func isVersion(of other: FileFetch.Part) -> Bool {
        total == other.total && validator == other.validator
    }
}
