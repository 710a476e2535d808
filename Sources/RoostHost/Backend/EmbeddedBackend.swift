// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostSockets

/// The lock of a folder: two servers on it would each send events to their own clients only.
private final class HeldLock: Sendable {
    private let lock: FolderLock

    init(_ lock: consuming FolderLock) { self.lock = lock }
}

extension Backend {
    /// Opens the storage of a server that is alone: a SQLite database in its folder.
    static func embedded(
        _ configuration: ChatHost.Configuration, on loop: EventLoop, _ log: LogWriter
    ) async throws(RoostError) -> Backend {
        let folder = configuration.dataFolder
        try ChatHost.makeFolder(folder)
        let lock: FolderLock
        do throws(FileError) {
            lock = try FolderLock(file: folder + "/lock")
        } catch {
            throw ChatHost.refusal(
                error.isTaken
                    ? "Another server uses \(folder): stop it, or name another folder."
                    : "The data folder \(folder) cannot be written: check its rights, or name "
                        + "another folder.", error)
        }
        let thread = ThreadExecutor(name: "roost.server")
        let storage: SQLiteStorage
        var world = ServerWorld.live(log)
        do throws(StorageError) {
            storage = try await SQLiteStorage(
                .file(folder + "/" + ChatHost.databaseName), on: thread)
            let noted = try await storage.notedTime()
            world.resume(from: noted)
        } catch {
            throw ChatHost.refusal("The server cannot start in \(folder): \(error)", error)
        }
        let files = FolderFiles(folder + "/files")
        await files.store.sweep()
        let held = HeldLock(lock)
        return Backend(
            storage: storage, files: files.store, fanOut: InProcessFanOut(on: loop),
            world: world,
            attach: { chat in
                // A failure leaves the last note, and the next one comes after the interval.
                try? await storage.note(chat.world.now())
                return [
                    Heartbeat(every: ServerWorld.noteInterval, on: loop) {
                        try? await storage.note(chat.world.now())
                    },
                    // A failure leaves the rest to the next call.
                    Heartbeat(every: .seconds(5), on: loop) { try? await storage.removeRemains() },
                ]
            },
            detach: { chat in
                // A failure leaves the last note, as a crash would.
                try? await storage.note(chat.world.now())
            }, metrics: { "" },
            disk: { await files.store.disk(with: folder + "/" + ChatHost.databaseName) },
            close: {
                await thread.shutDown()
                await files.thread.shutDown()
                _ = held
            })
    }
}

/// The uploads in a folder.
///
/// They have a thread of their own, because a disk may be slow. It serves downloads too, so a large
/// upload is made durable in steps.
struct FolderFiles: Sendable {
    let thread = ThreadExecutor(name: "roost.files")
    let store: FolderFileStore

    init(_ folder: String) { store = FolderFileStore(folder: folder, on: thread) }
}

extension ChatHost {
    /// Creates a folder for the server's data; an existing one keeps its permissions.
    static func makeFolder(_ folder: String) throws(RoostError) {
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        do {
            // The files in it belong to the user.
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw refusal(
                "The data folder \(folder) cannot be created; name a writable one.", error)
        }
    }
}
