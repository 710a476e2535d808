// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

/// The health as figures and as a line.
struct HealthTextTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    /// A client in which every figure is known.
    private static var full: Health {
        var health = Health()
        health.connection.state = .waiting
        health.connection.attempt = 3
        health.connection.nextAttempt = now + 4_500
        health.connection.since = now + -60_000
        health.connection.failure = RoostError(.networkError, remedy: .retry, message: "")
        health.catchUp.channelList = .fetching
        health.catchUp.fetchedChannels = 200
        health.catchUp.running = 1
        health.catchUp.waiting = 2
        health.catchUp.finished = 5
        health.catchUp.nextAttempt = now + 1_000
        health.catchUp.lookUps = 3
        health.catchUp.downloads = 1
        health.outbox.pending = 6
        health.outbox.failed = 2
        health.outbox.oldest = Health.Unsent(
            id: "r", channel: "c", isChange: false, createdAt: now + -12_250,
            wait: .rateLimit(until: now + 8_000))
        health.cache.size = ByteCount(mebibytes: 3)
        health.cache.limit = ByteCount(mebibytes: 256)
        health.cache.channelsWithHoles = 4
        health.cache.pagesFromDisk = 7
        health.cache.pagesFromServer = 8
        health.cache.refusal = RoostError(
            .localDatabaseError, remedy: .repairStorage, message: "full")
        health.damage.isBeingRepaired = true
        health.damage.repairs = 9
        health.damage.lostMessages = 10
        health.isSuspended = true
        return health
    }

    @Test func `every figure has a stable name and a unit`() {
        let figures = Self.full.metrics(at: Self.now).map { "\($0.name) \($0.value)" }
        #expect(
            figures == [
                "roost_client_connection_up 0.0", "roost_client_connection_attempt 3.0",
                "roost_client_connection_next_attempt_seconds 4.5",
                "roost_client_connection_down_seconds 60.0",
                "roost_client_channel_list_current 0.0", "roost_client_channel_list_fetched 200.0",
                "roost_client_catch_up_running 1.0", "roost_client_catch_up_waiting 2.0",
                "roost_client_catch_up_finished 5.0",
                "roost_client_catch_up_next_attempt_seconds 1.0", "roost_client_look_ups 3.0",
                "roost_client_downloads 1.0", "roost_client_outbox_pending 6.0",
                "roost_client_outbox_failed 2.0", "roost_client_outbox_oldest_seconds 12.25",
                "roost_client_cache_bytes 3145728.0", "roost_client_cache_limit_bytes 268435456.0",
                "roost_client_cache_channels_with_holes 4.0",
                "roost_client_cache_pages_from_disk_total 7.0",
                "roost_client_cache_pages_from_server_total 8.0",
                "roost_client_disk_refuses 1.0", "roost_client_repairing 1.0",
                "roost_client_repairs_total 9.0", "roost_client_lost_messages_total 10.0",
                "roost_client_suspended 1.0",
            ])
    }

    @Test func `a figure that is unknown or has no meaning is left out`() {
        let names = Health().metrics(at: Self.now).map(\.name)
        for name in [
            "connection_next_attempt_seconds", "connection_down_seconds", "outbox_oldest_seconds",
            "catch_up_next_attempt_seconds", "cache_bytes", "cache_limit_bytes",
            "cache_channels_with_holes",
        ] {
            #expect(!names.contains("roost_client_" + name))
        }
        #expect(names.count == 18)
    }

    @Test func `an age is never negative, whatever the clock does`() {
        var health = Self.full
        health.outbox.oldest?.createdAt = .distantFuture
        health.connection.since = .distantPast
        health.connection.nextAttempt = .distantPast
        #expect(health.metrics(at: Self.now).allSatisfy { $0.value >= 0 && $0.value.isFinite })
    }

    @Test func `a line says what waits for what, and nothing of a client at rest`() {
        #expect(
            Self.full.summary(at: Self.now)
                == "connection lost, next attempt in 4 s; fetching channels, 200 so far; "
                + "catching up 1 channel, 5 done; 2 channels to be caught up; repeated in 1 s; "
                + "looking up 3 channels; 1 download; 6 unsent, the oldest for 12 s (limited by "
                + "the server for 8 s); 2 failed; cache 3 of 256 MiB; 4 channels with holes; "
                + "the disk refuses writes (800700); a damaged cache is being repaired; "
                + "the files are closed")
        var rest = Health()
        rest.connection.state = .connected
        rest.catchUp.channelList = .current
        #expect(rest.isSettled && rest.summary(at: Self.now) == "connected")
    }

    @Test(arguments: [
        (Health.Connection.State.awaitingNetwork, "waiting for a network"),
        (.asleep, "disconnected in the background"),
        (.awaitingToken, "waiting for the app's token"), (.refused, "refused by the server"),
        (.disconnected, "not connected"), (.connecting, "connecting"),
        (.waiting, "connection lost"),
    ])
    func `each state of the connection has its words`(
        state: Health.Connection.State, words: String
    ) {
        var health = Health()
        health.connection.state = state
        #expect(health.summary(at: Self.now) == words)
        #expect(!health.isSettled)
    }

    @Test func `a client that is no more than busy is not settled`() {
        var rest = Health()
        rest.connection.state = .connected
        rest.catchUp.channelList = .current
        let changes: [(inout Health) -> Void] = [
            { $0.connection.state = .waiting }, { $0.catchUp.channelList = .behind },
            { $0.catchUp.running = 1 }, { $0.catchUp.waiting = 1 }, { $0.catchUp.lookUps = 1 },
            { $0.catchUp.downloads = 1 }, { $0.outbox.pending = 1 },
            { $0.cache.refusal = RoostError(.localDatabaseError, remedy: .none, message: "") },
            { $0.damage.isBeingRepaired = true }, { $0.isSuspended = true },
        ]
        for change in changes {
            var health = rest
            change(&health)
            #expect(!health.isSettled, "\(health)")
        }
        rest.outbox.failed = 3
        #expect(rest.isSettled, "failed messages wait for their user")
    }
}

extension Timestamp {
    fileprivate static func + (moment: Timestamp, milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: moment.milliseconds + milliseconds)
    }
}
