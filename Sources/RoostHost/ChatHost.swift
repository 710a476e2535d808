// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
package import RoostModel
import RoostSQLite
import RoostServer
import RoostSockets
package import RoostWire

/// A chat server on sockets: REST and WebSocket on one port, a storage behind it.
package final class ChatHost: Sendable {
    static let databaseName = "server.sqlite"
    /// The time for answers under way while the server stops.
    private static let grace = Duration.seconds(5)

    /// The port of the server, also if the configuration asks for a free one.
    package let port: UInt16
    /// The token of the link to the pages, which works once; nil without pages.
    package let pageToken: String?
    private let loop: EventLoop
    private let chat: ChatServer
    private let apiToken: String?
    private let http: HTTPServer
    private let health: HealthProbe
    private let drainTime: Duration
    private let backend: Backend
    private let heartbeats: [Heartbeat]
    private let log: LogWriter

    private init(
        loop: EventLoop, chat: ChatServer, apiToken: String?, http: HTTPServer,
        health: HealthProbe, drainTime: Duration, backend: Backend, heartbeats: [Heartbeat],
        log: LogWriter, pageToken: String?
    ) {
        self.pageToken = pageToken
        self.health = health
        self.drainTime = drainTime
        self.port = http.port
        self.loop = loop
        self.chat = chat
        self.apiToken = apiToken
        self.http = http
        self.backend = backend
        self.heartbeats = heartbeats
        self.log = log
    }

    /// Opens the data and listens.
    ///
    /// - Throws: `.localDatabaseError` for the folder or the file, `.networkError` for the address;
    ///   the message names the remedy, and the data is unchanged.
    package static func start(_ configuration: Configuration) async throws(RoostError) -> ChatHost {
        var listening: HTTPServer.Configuration
        do throws(SocketError) {
            listening = try configuration.listening()
        } catch {
            throw RoostError(
                .networkError, remedy: .correctInput, message: error.message, underlying: error)
        }
        let loop: EventLoop
        do throws(SocketError) {
            loop = try EventLoop.start()
        } catch {
            throw refusal(error.message, error)
        }
        let log = LogWriter(from: configuration.logLevel)
        let core = configuration.core
        let backend: Backend
        do throws(RoostError) {
            backend =
                if let cluster = configuration.cluster {
                    try await .cluster(cluster, configuration, on: loop, log)
                } else {
                    try await .embedded(configuration, on: loop, log)
                }
        } catch {
            await loop.shutdown()
            throw error
        }
        let chat = await ChatServer(
            core, storage: backend.storage, files: backend.files, fanOut: backend.fanOut,
            peers: backend.peers, world: backend.world, on: loop)
        listening.noteRefusal = { peer in
            // The server is on the loop that accepts the connection.
            chat.assumeIsolated { $0.noteRefusedConnection(from: peer) }
        }
        let health = HealthProbe { await chat.isHealthy() }
        let pages =
            configuration.hasPages
            ? ServerPages.live(chat, configuration, disk: backend.disk) : nil
        let plain = ChatHandler(
            chat, believesProxy: configuration.isBehindProxy,
            formLimit: core.fileLimitMB * 1_048_576 + core.limits.bodyBytes,
            bodyLimit: core.limits.bodyBytes,
            origins: OriginPolicy(
                origins: configuration.allowedOrigins,
                publicAddress: configuration.publicAddress,
                requiresToken: configuration.requiresToken),
            health: health, pages: pages, moreMetrics: backend.metrics)
        let chaos = configuration.chaos.map { ChaosLayer($0, on: loop, .live(log)) }
        do {
            let handler: any HTTPServerHandler =
                if let chaos { ChaosHandler(plain, chaos) } else { plain }
            let http = try await HTTPServer.start(listening, handler: handler, on: loop)
            chaos?.attach { [weak http] hasFrame in
                await http?.endWebSockets(withCloseFrame: hasFrame)
            }
            log.write(LogLine(.info, "started", [.init("port", .int(Int64(http.port)))]))
            var timers = await backend.attach(chat)
            let pageToken = pages?.open(port: http.port)
            if let pages {
                await pages.read()
                timers.append(
                    Heartbeat(every: ServerHistory.interval, on: loop) { await pages.read() })
            }
            return ChatHost(
                loop: loop, chat: chat, apiToken: core.apiToken, http: http, health: health,
                drainTime: configuration.drainTime, backend: backend,
                heartbeats: timers + [
                    Heartbeat(every: core.pingInterval, on: loop) { await chat.dropIdle() },
                    Heartbeat(every: .seconds(60), on: loop) { await chat.forgetEndedSessions() },
                    // One heartbeat each, so that none of them waits for another one.
                    Heartbeat(every: .seconds(1), on: loop) { await chat.endExpired() },
                    Heartbeat(every: .seconds(1), on: loop) { await chat.startDue() },
                    Heartbeat(every: .seconds(1), on: loop) { await chat.storeActivity() },
                    Heartbeat(every: .seconds(1), on: loop) { await chat.publishReceipts() },
                ], log: log, pageToken: pageToken)
        } catch {
            await backend.close()
            await loop.shutdown()
            throw RoostError(
                .networkError, remedy: .correctInput, message: error.message, underlying: error)
        }
    }

    /// Makes a call of the platform from within the server's process.
    package func callAsPlatform(_ request: APIRequest) async -> APIResponse {
        await chat.respond(to: request, headers: RequestHeaders(apiToken: apiToken))
    }

    /// Closes the sockets over the time of the configuration, stops accepting, and finishes the
    /// answers under way.
    ///
    /// Every acknowledged message is on disk already.
    package func stop() async {
        health.leave()
        log.write(LogLine(.info, "stopping"))
        await http.retire(over: drainTime)
        await http.shutdown(grace: Self.grace)
        // Until here notices and orders of other servers are carried out.
        for heartbeat in heartbeats { heartbeat.cancel() }
        await chat.publishReceipts()
        await backend.detach(chat)
        await backend.close()
        await loop.shutdown()
        log.write(LogLine(.info, "stopped"))
        await log.finish()
    }

    /// Ends the wait of `stop` for the sockets.
    package func hurry() async { await http.hurry() }
}
