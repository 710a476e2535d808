// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostHost
import RoostPostgres
import RoostSockets
import RoostTestSupport
import RoostWire
import Testing

/// Servers on sockets with one database.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ClusterHostTests {
    @Test func `a change of a channel reaches the clients of another server without a bus`()
        async throws
    {
        let database = try await PostgresServer.shared()
        var place = PostgresConfiguration(database.address)
        place.schema = PostgresServer.schemaName()
        try await PostgresPool.lend(place) { pool throws(PostgresError) in
            try await PostgresMigrator(pool).migrate { _ in }
        }
        var configuration = ChatHost.Configuration(dataFolder: "", applicationID: "APP")
        configuration.apiToken = "token"
        var cluster = ChatHost.Configuration.Cluster(database: database.address)
        cluster.schema = place.schema
        cluster.sessions = 2
        configuration.cluster = cluster
        let loop = try EventLoop.start()
        let one = try await ChatHost.start(configuration)
        let two = try await ChatHost.start(configuration)
        let bob = try await HostMember("bob", of: two, on: loop)
        _ = try await bob.next("LOGI")
        try await one.call("POST", "group_channels", #"{"channel_url":"g","user_ids":["bob"]}"#)
        try await one.call("PUT", "group_channels/g", #"{"name":"new"}"#)
        var category: Int64?
        while category != 11_000 { category = try await bob.next("SYEV")["cat"]?.int }
        await one.stop()
        await two.stop()
        await loop.shutdown()
    }
}
