// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostHost
import RoostModel
import RoostSQLite
import RoostServer
import RoostSockets
import RoostTestSupport
import RoostWire
import Testing

/// The delivery receipts of a server on sockets, which collects them.
struct ReceiptHostTests {
    private func send(to host: ChatHost) async throws -> JSONValue {
        try await host.call(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","user_id":"ann","message":"text"}"#)
    }

    @Test func `a server sends collected receipts by itself, and stores the rest as it stops`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        var configuration = ChatHost.Configuration(
            dataFolder: folder.file("server"), applicationID: "APP")
        configuration.apiToken = "token"
        let loop = try EventLoop.start()
        let host = try await ChatHost.start(configuration)
        let ann = try await HostMember("ann", of: host, on: loop)
        let bob = try await HostMember("bob", of: host, on: loop)
        _ = try await (ann.next("LOGI"), bob.next("LOGI"))
        try await host.call(
            "POST", "group_channels", #"{"channel_url":"g","user_ids":["ann","bob"]}"#)
        let first = try await send(to: host)
        let id = try #require(first["message_id"]?.int)
        try await bob.socket.send(.text(#"MACK{"channel_url":"g","msg_id":\#(id)}"#))
        let receipt = try await ann.next("DLVR")
        #expect(receipt["updated"]?["bob"]?.int ?? 0 >= first["created_at"]?.int ?? .max)
        let second = try await send(to: host)
        let last = try #require(second["message_id"]?.int)
        try await bob.socket.send(.text(#"MACK{"channel_url":"g","msg_id":\#(last)}"#))
        try await bob.socket.send(.text(#"PING{"id":1}"#))
        _ = try await bob.next("PONG")
        await host.stop()
        await loop.shutdown()
        let storage = try await SQLiteStorage(
            .file(folder.file("server") + "/server.sqlite"), on: ThreadExecutor(name: "storage"))
        let member = try await storage.memberRecords(of: "g").first { $0.user.id == "bob" }
        #expect(member?.deliveredAt?.milliseconds ?? 0 >= second["created_at"]?.int ?? .max)
    }
}
