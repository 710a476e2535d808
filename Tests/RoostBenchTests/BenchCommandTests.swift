// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import Testing

@testable import RoostBench

struct BenchCommandTests {
    private static func run(_ words: [String]) async throws {
        let parsed = try CommandLineParser(.bench).parse(words)
        guard case .run(let command, let arguments) = parsed else {
            Issue.record("nothing to run")
            return
        }
        try await command.run(arguments)
    }

    /// Runs a body with a folder of its own, which is removed afterwards.
    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await body(folder)
    }

    private static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func `an unknown workload is refused before anything is measured`() async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            try await Self.run(["cache", "--only", "W3,W9"])
        }
        #expect(failure?.code == .wrongArguments)
        #expect(failure?.message.contains("W9") == true)
        #expect(failure?.message.contains("W8") == true)
    }

    @Test func `sizes come in order and once`() throws {
        #expect(try Command.sizes("30000,10000,30000") == [10_000, 30_000])
    }

    @Test(arguments: ["", "10", "1000,,2000", "1000, 2000", "x", "-1", "10000001"])
    func `a list that is no sizes is refused with an example`(list: String) {
        let failure = #expect(throws: CommandFailure.self) { try Command.sizes(list) }
        #expect(failure?.code == .wrongArguments)
        #expect(failure?.message.contains("10000,100000") == true)
    }

    @Test func `sizes with workloads that have none are refused`() async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            try await Self.run(["cache", "--sizes", "1000", "--only", "W1,W7"])
        }
        #expect(failure?.code == .wrongArguments)
        #expect(failure?.message.contains("W8") == true)
    }

    @Test(arguments: ["commit", "=x", ""])
    func `a note without a name is refused before anything is measured`(note: String) async throws {
        await #expect(throws: CommandFailure.self) {
            try await Self.run(["outbox", "--note", note])
        }
    }

    @Test func `a folder of pictures that cannot be made is refused before anything is measured`()
        async throws
    {
        try await Self.withFolder { folder in
            let file = folder.appendingPathComponent("file")
            try Data().write(to: file)
            let failure = await #expect(throws: CommandFailure.self) {
                try await Self.run(["cache", "--svg", "\(file.path)/pictures"])
            }
            #expect(failure?.code == .storage)
        }
    }

    @Test func `a measurement writes its figures and pictures, with the call and the notes`()
        async throws
    {
        try await Self.withFolder { folder in
            try await Self.run([
                "cache", "--sizes", "200,400", "--only", "W3", "--rounds", "1", "--svg",
                folder.path, "--note", "commit=abc", "--note", "beside=a=b", "--json",
            ])
            #expect(
                try Self.names(in: folder) == ["bench-cache-sizes.json", "bench-cache-sizes.svg"])
            let text = try PictureFolder.read(folder.path + "/bench-cache-sizes.json")
            let report = try BenchReport(json: text)
            #expect(
                report.fact("command")
                    == "roost-bench cache --only W3 --sizes 200,400 --rounds 1")
            #expect(report.fact("commit") == "abc")
            #expect(report.fact("beside") == "a=b")
            #expect(report.fact("date")?.hasSuffix(" UTC") == true)
            #expect(report.rows.map(\.size) == [200, 400])
            for row in report.rows {
                #expect((row.ours ?? 0) > 0)
                #expect((row.limit ?? 0) > 0)
                #expect(row.peers.map(\.name) == [Peers.rows])
            }
        }
    }

    @Test func `kept figures are drawn again, and a page is made anew`() async throws {
        try await Self.withFolder { folder in
            var report = BenchReport()
            report.bench = "engine"
            report.add("live", "a frame", "ms", ours: 2, limit: 1)
            let kept = folder.appendingPathComponent("kept.json")
            let page = folder.appendingPathComponent("page.md")
            try Data(report.json.utf8).write(to: kept)
            try Data("\(FigurePage.begin)\n\(FigurePage.end)\n".utf8).write(to: page)
            let pictures = folder.appendingPathComponent("pictures")
            try await Self.run([
                "draw", kept.path, "--svg", pictures.path, "--page", page.path,
            ])
            #expect(try Self.names(in: pictures) == ["bench-engine.svg"])
            let drawn = try PictureFolder.read(pictures.path + "/bench-engine.svg")
            #expect([drawn] == Picture.all(of: report).map(\.svg))
            #expect(try PictureFolder.read(page.path).contains("(pictures/bench-engine.svg)"))
        }
    }

    @Test func `a file that is no figures is named`() async throws {
        try await Self.withFolder { folder in
            let file = folder.appendingPathComponent("other.json")
            try Data("{}".utf8).write(to: file)
            let failure = await #expect(throws: CommandFailure.self) {
                try await Self.run(["draw", file.path, "--svg", folder.path])
            }
            #expect(failure?.message.contains("other.json") == true)
        }
    }
}
