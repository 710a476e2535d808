// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

struct ServerBenchTests {
    @Test func `every measurement of the server has a figure of its own and one of the limit`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-bench-\(ProcessInfo.processInfo.globallyUniqueString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = ServerBench.Options(folder: folder.path)
        (options.channels, options.deliveries, options.accepts) = ([3], 30, 10)
        (options.idleSockets, options.rounds) = (5, 1)
        (options.waits, options.reads, options.seconds) = (3, 3, 1)
        let report = try await ServerBench.run(options) { _ in }
        #expect(
            report.rows.map(\.workload)
                == [
                    "idle", "fan-out", "fan-out", "fan-out", "pages", "pages", "accepts",
                    "accepts", "accepts", "memory",
                ])
        for row in report.rows where !["idle", "memory"].contains(row.workload) {
            #expect(row.ours.map { $0 > 0 } == true && row.limit.map { $0 > 0 } == true)
        }
        #expect(report.facts.contains { $0.name == "load average at the start" })
        #expect(
            !FileManager.default.fileExists(atPath: folder.path + "/server"),
            "nothing is left behind")
    }
}
