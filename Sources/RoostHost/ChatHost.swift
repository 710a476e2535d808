// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
package import RoostModel
import RoostSQLite
import RoostServer
import RoostSockets
package import RoostWire

/// A chat server on sockets: REST and WebSocket on one port, SQLite behind it.
package final class ChatHost: Sendable {
    static let databaseName = "server.sqlite"
    /// The time for answers under way while the server stops.
    private static let grace = Duration.seconds(5)

    /// The port of the server, also if the configuration asks for a free one.
    package let port: UInt16
    private let loop: EventLoop
    private let chat: ChatServer
    private let apiToken: String?
    private let http: HTTPServer
    /// The lock of the folder: two servers on it would each send events to their own clients only.
    private let lock: FolderLock
    private let storageThread: ThreadExecutor
    /// A thread of its own, because making a large upload durable may take seconds.
    private let fileThread: ThreadExecutor
    private let heartbeats: [Heartbeat]
    private let log: LogWriter

    private init(
        loop: EventLoop, chat: ChatServer, apiToken: String?, http: HTTPServer,
        lock: consuming FolderLock,
        storageThread: ThreadExecutor, fileThread: ThreadExecutor, heartbeats: [Heartbeat],
        log: LogWriter
    ) {
        self.port = http.port
        self.loop = loop
        self.chat = chat
        self.apiToken = apiToken
        self.http = http
        self.lock = lock
        self.storageThread = storageThread
        self.fileThread = fileThread
        self.heartbeats = heartbeats
        self.log = log
    }

    /// Opens the data and listens.
    ///
    /// - Throws: `.localDatabaseError` for the folder or the file, `.networkError` for the address;
    ///   the message names the remedy, and the data is unchanged.
    package static func start(_ configuration: Configuration) async throws(RoostError) -> ChatHost {
        let folder = configuration.dataFolder
        let listening: HTTPServer.Configuration
        do throws(SocketError) {
            listening = try configuration.listening()
        } catch {
            throw RoostError(
                .networkError, remedy: .correctInput, message: error.message, underlying: error)
        }
        do {
            // An existing folder keeps its permissions; the files in it belong to the user.
            if !FileManager.default.fileExists(atPath: folder) {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
        } catch {
            throw RoostError(
                .localDatabaseError, remedy: .repairStorage,
                message: "The data folder \(folder) cannot be created; name a writable one.",
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
            storage = try await SQLiteStorage(
                .file(folder + "/" + databaseName), on: thread)
            loop = try EventLoop.start()
        } catch {
            throw RoostError(
                .localDatabaseError, remedy: .repairStorage,
                message: "The server cannot start in \(folder): \(error)", underlying: error)
        }
        let log = LogWriter(from: configuration.logLevel)
        let core = configuration.core
        let fileThread = ThreadExecutor(name: "roost.files")
        let files = FolderFileStore(folder: folder + "/files", on: fileThread)
        await files.sweep()
        let chat = await ChatServer(
            core, storage: storage, files: files,
            fanOut: InProcessFanOut(on: loop), world: .live(log), on: loop)
        let handler = ChatHandler(
            chat, believesProxy: configuration.isBehindProxy,
            formLimit: core.fileLimitMB * 1_048_576 + core.limits.bodyBytes,
            origins: OriginPolicy(
                origins: configuration.allowedOrigins,
                publicAddress: configuration.publicAddress,
                requiresToken: configuration.requiresToken),
            health: HealthProbe { await chat.isHealthy() })
        do {
            let http = try await HTTPServer.start(listening, handler: handler, on: loop)
            log.write(LogLine(.info, "started", [.init("port", .int(Int64(http.port)))]))
            return ChatHost(
                loop: loop, chat: chat, apiToken: core.apiToken, http: http, lock: lock,
                storageThread: thread, fileThread: fileThread,
                heartbeats: [
                    Heartbeat(every: core.pingInterval, on: loop) { await chat.dropIdle() },
                    Heartbeat(every: .seconds(60), on: loop) { await chat.forgetEndedSessions() },
                    Heartbeat(every: .seconds(1), on: loop) {
                        await chat.endExpired()
                        await chat.sendDue()
                        await chat.storeActivity()
                    },
                ], log: log)
        } catch {
            await loop.shutdown()
            throw RoostError(
                .networkError, remedy: .correctInput, message: error.message, underlying: error)
        }
    }

    /// Makes a call of the platform from within the server's process.
    package func callAsPlatform(_ request: APIRequest) async -> APIResponse {
        await chat.respond(to: request, headers: RequestHeaders(apiToken: apiToken))
    }

    /// Stops accepting, finishes the answers under way, and closes the sockets.
    ///
    /// Every acknowledged message is on disk already.
    package func stop() async {
        for heartbeat in heartbeats { heartbeat.cancel() }
        await http.shutdown(grace: Self.grace)
        await loop.shutdown()
        await storageThread.shutDown()
        await fileThread.shutDown()
        log.write(LogLine(.info, "stopped"))
        log.finish()
    }
}
