// SPDX-License-Identifier: Apache-2.0

package import RoostCluster
import RoostExecutors
import RoostModel
import RoostNATS
import RoostPostgres
import RoostServer
import RoostSockets
import RoostWire

extension ChatHost.Configuration {
    /// The database and the bus that several servers share.
    package struct Cluster: Sendable {
        /// The address of the database, as libpq reads it.
        package var database: String
        /// The schema of its tables.
        package var schema = "roost"
        /// The addresses of the bus; empty for servers that learn of each other by the database only.
        package var bus: [String] = []
        /// The name of this server for the operators.
        package var name = "roost"
        /// The place of the uploads.
        package var files = Files.none
        /// The most sessions of this server at the database.
        package var sessions = 8

        package init(database: String) { self.database = database }

        /// The place of the uploads, which all servers share.
        package enum Files: Sendable {
            /// No place; uploads are refused.
            case none
            case folder(String)
            /// A bucket of an S3 server.
            case bucket(S3Settings)
        }
    }
}

extension Backend {
    /// Opens the storage of a server that shares a PostgreSQL database with others.
    static func cluster(
        _ cluster: ChatHost.Configuration.Cluster, _ configuration: ChatHost.Configuration,
        on loop: EventLoop, _ log: LogWriter
    ) async throws(RoostError) -> Backend {
        let databaseLoop: EventLoop
        do throws(SocketError) {
            databaseLoop = try EventLoop.start()
        } catch {
            throw ChatHost.refusal(error.message, error)
        }
        var settings = PostgresConfiguration(cluster.database)
        settings.schema = cluster.schema
        settings.sessions = cluster.sessions
        settings.setServer(cluster.name)
        let pool = PostgresPool(settings, on: databaseLoop)
        let steady = SteadyClock.live
        let bus = NATSBus.made(cluster, configuration, on: loop, steady, log)
        let close: @Sendable () async -> Void = {
            await bus?.fanOut.close()
            await pool.close()
            await databaseLoop.shutdown()
        }
        do {
            let storage = try await PostgresStorage(pool)
            let clock = DatabaseClock(
                try await storage.compareClocks(steady.milliseconds),
                steady: steady.milliseconds)
            try await bus?.opened(log)
            let fanOut = try await ClusterFanOut(
                storage, bus: bus, on: loop, now: steady.instant, log: { log.write($0) })
            bus?.onLoss { await fanOut.noteLoss(mistrustingFor: $0.mistrust) }
            let presence = PostgresPresence(
                storage, host: .random(), name: cluster.name, now: steady.instant)
            // The last step that may fail: nothing else closes the files.
            let files = try await ClusterFiles.open(
                cluster.files, fileLimitMB: configuration.fileLimitMB, time: { clock.now }, log)
            return Backend(
                storage: storage, files: files.store, fanOut: fanOut, peers: presence,
                world: .live(log, now: { clock.now }),
                attach: { chat in
                    await fanOut.serve(chat)
                    let presenceTimer = Heartbeat(every: .milliseconds(250), on: loop) {
                        // While the database is away, the lease ends, and all is written again later.
                        guard let alive = try? await presence.flush(), let bus,
                            await bus.isConnected
                        else { return }
                        await fanOut.compareHosts(
                            alive: alive, heard: await bus.fanOut.hosts.count)
                    }
                    return [presenceTimer]
                        + timers(chat, storage, bus, fanOut, clock, steady, on: loop)
                },
                metrics: { await metrics(pool, bus, fanOut, files) },
                close: {
                    await presence.leave()
                    await files.close()
                    await close()
                })
        } catch let error as RoostError {
            await close()
            throw error
        } catch let error as StorageError {
            await close()
            throw ChatHost.refusal(error.message, error)
        } catch {
            await close()
            throw ChatHost.refusal("\(error)", error)
        }
    }

    private static func timers(
        _ chat: ChatServer, _ storage: PostgresStorage, _ bus: NATSBus?, _ fanOut: ClusterFanOut,
        _ clock: DatabaseClock, _ steady: SteadyClock, on loop: EventLoop
    ) -> [Heartbeat] {
        [
            Heartbeat(every: .milliseconds(25), on: loop) { await fanOut.tick() },
            // Apart from the sweep, which waits while the database is away.
            Heartbeat(every: .milliseconds(250), on: loop) {
                guard let bus else { return }
                await bus.fanOut.beat()
                await chat.shareRates(among: bus.fanOut.hosts.count)
            },
            Heartbeat(every: .milliseconds(250), on: loop) { await fanOut.sweep() },
            Heartbeat(every: .milliseconds(250), on: loop) { await fanOut.report() },
            Heartbeat(every: .seconds(5), on: loop) { try? await storage.removeRemains() },
            Heartbeat(every: .seconds(10), on: loop) {
                // While the database is away, the clock runs on by itself.
                if let sample = try? await storage.compareClocks(steady.milliseconds) {
                    clock.adjust(sample)
                }
            },
        ]
    }

    private static func metrics(
        _ pool: PostgresPool, _ bus: NATSBus?, _ fanOut: ClusterFanOut, _ files: ClusterFiles
    ) async -> String {
        let (delivery, hasDatabase) = (await fanOut.counts, await pool.outage == nil)
        var rows: [(name: String, kind: String, help: String, value: Int)] = [
            (
                "roost_database_up", "gauge", "Whether the database was reached last time.",
                hasDatabase ? 1 : 0
            ),
            ("roost_sweeps_total", "counter", "Sweeps over the database.", delivery.sweeps),
            (
                "roost_log_readings_total", "counter",
                "Readings of changes whose notices did not come in time.", delivery.readings
            ),
            (
                "roost_recovered_total", "counter", "Changes that the database gave.",
                delivery.recovered
            ),
        ]
        if let bus {
            let counts = await bus.fanOut.counts
            rows += [
                (
                    "roost_bus_up", "gauge", "Whether the bus is connected.",
                    await bus.isConnected ? 1 : 0
                ),
                (
                    "roost_hosts", "gauge", "Live servers of the application, this one included.",
                    await bus.fanOut.hosts.count
                ),
                (
                    "roost_bus_sent_total", "counter", "Messages handed to the bus.",
                    Int(clamping: counts.sent)
                ),
                (
                    "roost_bus_received_total", "counter", "Messages of other servers.",
                    Int(clamping: counts.received)
                ),
                (
                    "roost_bus_missed_total", "counter",
                    "Messages of other servers that are known not to have come.",
                    Int(clamping: counts.missed)
                ),
            ]
            rows += [
                (
                    "roost_bus_refused_total", "counter",
                    "Messages that a full queue or the missing bus kept here.",
                    Int(clamping: counts.refused)
                ),
                (
                    "roost_bus_undecodable_total", "counter",
                    "Messages that could not be decoded.", Int(clamping: counts.undecodable)
                ),
            ]
        }
        return ServerMetrics.text(of: rows + (await files.metrics()))
    }
}

extension NATSBus {
    /// Makes the bus of a server; nil if none is named.
    fileprivate static func made(
        _ cluster: ChatHost.Configuration.Cluster, _ configuration: ChatHost.Configuration,
        on loop: EventLoop, _ steady: SteadyClock, _ log: LogWriter
    ) -> NATSBus? {
        guard !cluster.bus.isEmpty else { return nil }
        var settings = NATSFanOutSettings(
            addresses: cluster.bus, application: configuration.applicationID,
            hostName: cluster.name)
        settings.connection.startsDisconnected = true
        return NATSBus(
            settings, host: .random(), on: loop, now: steady.instant, log: { log.write($0) })
    }

    /// Opens the bus.
    ///
    /// A bus that cannot be reached keeps no server from starting: messages come by the database then.
    fileprivate func opened(_ log: LogWriter) async throws(NATSError) {
        try await fanOut.open()
        guard await !isConnected else { return }
        let message =
            "No server of the bus answers; messages come later, by the database, until one does."
        log.write(LogLine(.warning, "bus", [.init("message", .string(message))]))
    }
}
