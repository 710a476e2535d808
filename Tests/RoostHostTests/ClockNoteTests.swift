// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostHost
import RoostModel
import RoostSQLite
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// The note of the time that a server on sockets leaves in its database.
struct ClockNoteTests {
    @Test func `a server that stops notes the time of its last answer`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        var configuration = ChatHost.Configuration(
            dataFolder: folder.file("server"), applicationID: "APP")
        configuration.apiToken = "token"
        let host = try await ChatHost.start(configuration)
        let user = #"{"user_id":"ann","nickname":"Ann","profile_url":""}"#
        let made = try APIRequest(method: "POST", target: "/v3/users", body: Array(user.utf8))
        _ = await host.callAsPlatform(made)

        func time() async throws -> Int64 {
            let list = try APIRequest(
                method: "GET", target: "/v3/users/ann/my_group_channels", body: [])
            let answer = try JSONValue(parsing: await host.callAsPlatform(list).body)
            return try #require(answer["ts"]?.int)
        }
        // A list changes nothing; the second time is later than the note of the start.
        let first = try await time()
        var last = first
        while last == first { last = try await time() }
        await host.stop()

        let storage = try await SQLiteStorage(
            .file(folder.file("server") + "/server.sqlite"), on: ThreadExecutor(name: "storage"))
        #expect(try await storage.notedTime().milliseconds >= last)
    }
}
