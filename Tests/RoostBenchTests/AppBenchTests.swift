// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

struct AppBenchTests {
    /// The tasks check themselves what they have read.
    @Test func `each task of a child has its two moments and a figure for each sample`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-bench-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Machine.makeFolder(folder)
        let data = try ServerData(seed: 1, messages: 2_000)
        let cache = CacheBench(
            options: CacheBench.Options(folder: folder), tell: { _ in }, data: data)
        try await cache.build(
            Fixture(folder: folder, name: "app"), data, withSearch: true)
        for task in AppTask.allCases {
            let figures = try await task.perform(
                AppTask.Input(
                    folder: folder, channel: data.url(0), messages: 2_000, samples: 20))
            let isOpening = [AppTask.openClient, .openStore, .openLimit].contains(task)
            #expect(figures.count == (isOpening ? 2 : 22), "\(task)")
            // Later children write other messages than earlier ones.
            let again = try await task.perform(
                AppTask.Input(
                    folder: folder, channel: data.url(0), messages: 2_000, samples: 5, written: 20))
            #expect(again.count == (isOpening ? 2 : 7), "\(task)")
            #expect(figures[0] < figures[1], "\(task)")
            #expect(figures.dropFirst(2).allSatisfy { $0 > 0 }, "\(task)")
        }
    }

    @Test func `a program that fails or is not there is an error`() throws {
        #expect(throws: BenchError.self) {
            try ChildProcess.lines(of: "/bin/sh", ["-c", "exit 3"])
        }
        #expect(throws: BenchError.self) { try ChildProcess.lines(of: "/no/such/program", []) }
        #expect(try ChildProcess.lines(of: "/bin/sh", ["-c", "echo 1; echo 2"]) == ["1", "2"])
    }
}
