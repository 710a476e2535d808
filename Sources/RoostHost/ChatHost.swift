// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
package import RoostModel
import RoostSQLite
import RoostServer
import RoostSockets

/// A chat server on real sockets: REST and WebSocket on one port, SQLite behind it.
package final class ChatHost: Sendable {
    package struct Configuration: Sendable {
        /// Loopback unless told otherwise: whoever opens a server to others does so on purpose.
        package var host = "127.0.0.1"
        /// 0 takes a free port.
        package var port: UInt16 = 0
        /// Where `server.sqlite` lives; made when missing.
        package var dataFolder: String
        package var applicationID: String
        /// Opens the platform calls; nil closes them.
        package var apiToken: String?
        /// Refuses users without an access token.
        package var requiresToken = false

        package init(dataFolder: String, applicationID: String) {
            self.dataFolder = dataFolder
            self.applicationID = applicationID
        }
    }

    /// How long answers under way may take while the server stops.
    private static let grace = Duration.seconds(5)

    /// The port it listens on, also when a free one was asked for.
    package let port: UInt16
    private let loop: EventLoop
    private let http: HTTPServer
    /// Two servers on one folder would each tell only their own clients of a message.
    private let lock: FolderLock
    private let storageThread: ThreadExecutor
    private let heartbeat: Heartbeat

    private init(
        loop: EventLoop, http: HTTPServer, lock: consuming FolderLock,
        storageThread: ThreadExecutor, heartbeat: Heartbeat
    ) {
        self.port = http.port
        self.loop = loop
        self.http = http
        self.lock = lock
        self.storageThread = storageThread
        self.heartbeat = heartbeat
    }

    /// Opens the data and listens.
    ///
    /// - Throws: `.localDatabaseError` for the folder or the file, `.networkError` for the address; the
    ///   message says what to do, and nothing that was there has changed.
    package static func start(_ configuration: Configuration) async throws(RoostError) -> ChatHost {
        let folder = configuration.dataFolder
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw RoostError(
                .localDatabaseError, remedy: .repairStorage,
                message: "The data folder \(folder) cannot be made: name one that may be written.",
                underlying: error)
        }
        let lock: FolderLock
        do throws(FileError) {
            lock = try FolderLock(file: folder + "/lock")
        } catch {
            throw RoostError(
                .localDatabaseError, remedy: .repairStorage,
                message: error.isTaken
                    ? "Another server uses \(folder): stop it, or name another folder."
                    : "The data folder \(folder) cannot be written: name another one.",
                underlying: error)
        }
        let thread = ThreadExecutor(name: "roost.server")
        let loop: EventLoop
        let storage: SQLiteStorage
        do {
            storage = try await SQLiteStorage(.file(folder + "/server.sqlite"), on: thread)
            loop = try EventLoop.start()
        } catch {
            throw RoostError(
                .localDatabaseError, remedy: .repairStorage,
                message: "The server cannot start in \(folder): \(error)", underlying: error)
        }
        var server = ChatServer.Configuration(
            applicationID: configuration.applicationID, apiToken: configuration.apiToken)
        server.requiresToken = configuration.requiresToken
        let chat = await ChatServer(
            server, storage: storage,
            files: FolderFileStore(folder: folder + "/files", on: thread),
            fanOut: InProcessFanOut(on: loop), world: .live(), on: loop)
        var listening = HTTPServer.Configuration()
        listening.host = configuration.host
        listening.port = configuration.port
        do {
            let http = try await HTTPServer.start(listening, handler: ChatHandler(chat), on: loop)
            return ChatHost(
                loop: loop, http: http, lock: lock, storageThread: thread,
                heartbeat: Heartbeat(every: server.pingInterval, on: loop) {
                    await chat.dropIdle()
                })
        } catch {
            await loop.shutdown()
            throw RoostError(
                .networkError, remedy: .correctInput, message: error.message, underlying: error)
        }
    }

    /// Stops accepting, finishes what is being answered and closes the sockets.
    ///
    /// Every message that was acknowledged is on disk already.
    package func stop() async {
        heartbeat.cancel()
        await http.shutdown(grace: Self.grace)
        await loop.shutdown()
        await storageThread.shutDown()
    }
}
