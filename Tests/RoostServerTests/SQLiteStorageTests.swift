// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostWire
import Testing

struct SQLiteStorageTests {
    @Test
    func `no hot question walks a whole table or sorts a page of messages`() async throws {
        let executor = ThreadExecutor(name: "storage")
        let plans = try await SQLiteStorage(.memory, on: executor).hotPlans()
        #expect(plans.count == 13)
        for (name, steps) in plans {
            for step in steps {
                #expect(
                    !step.hasPrefix("SCAN") || step.contains("VIRTUAL TABLE"), "\(name): \(step)")
            }
        }
        for name in ["oldestMessages", "newestMessages", "changesAfter", "changesSince"] {
            #expect(plans[name]?.contains { $0.contains("TEMP B-TREE") } == false, "\(name)")
        }
    }

    @Test
    func `what was acknowledged is there when the server starts again`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let location = DatabaseLocation.file(folder.appendingPathComponent("server.sqlite").path)
        var log: [LogEntry] = []
        var key = ""
        var next = ""
        for start in 0..<3 {
            let executor = ThreadExecutor(name: "storage")
            let storage = try await SQLiteStorage(location, on: executor)
            let fixture = await ServerFixture(storage: storage, seed: UInt64(start))
            #expect(try await storage.log(of: "g") == log)
            let device = try await fixture.connect("alice")
            if start == 0 {
                try await fixture.channel(of: ["alice"], by: device)
            } else {
                #expect(try await storage.session("plain:key:" + key)?.userID == "alice")
                let changes = try await fixture.call(
                    MessageChangeLog(channelURL: "g", cursor: .token(next)), as: device)
                #expect(changes.updated.isEmpty)
            }
            await fixture.send("first", "r", to: "g", on: device)
            await fixture.send("\(start)", RequestID("\(start)"), to: "g", on: device)
            log = try await storage.log(of: "g")
            #expect(log.map(\.message.text) == ["first"] + (0...start).map { "\($0)" })
            key = device.key
            next = try await fixture.call(
                MessageChangeLog(channelURL: "g", cursor: .since(Timestamp(milliseconds: 0))),
                as: device
            ).next
        }
    }
}
