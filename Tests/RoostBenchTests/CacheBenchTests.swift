// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostWire
import Testing

@testable import RoostBench

struct CacheBenchTests {
    @Test func `the same seed makes the same bytes, another seed others`() throws {
        let (one, same) = (
            try ServerData(seed: 1, messages: 3_000), try ServerData(seed: 1, messages: 3_000)
        )
        let other = try ServerData(seed: 2, messages: 3_000)
        #expect(one.page(4) == same.page(4))
        // Made again after others, as the second side's round asks for it.
        #expect(one.page(4) == same.page(4))
        #expect(one.page(4) != other.page(4))
        #expect(one.live(7).body == same.live(7).body)
        #expect(one.changes(0).body == same.changes(0).body)
    }

    @Test func `pages hold every message once, each page of one channel and oldest first`() throws {
        let data = try ServerData(seed: 3, messages: 5_000)
        var ids: Set<MessageID> = []
        var oldest: [ChannelURL: Position] = [:]
        var bytes = 0
        for number in 0..<data.pageCount {
            let body = data.page(number)
            bytes += body.count
            var reader = try JSONReader(bytes: body)
            let messages = try ListMessages.read(&reader).messages
            try reader.finish()
            let channel = try #require(messages.first?.channelURL)
            let positions = messages.compactMap(\.position)
            #expect(messages.allSatisfy { $0.channelURL == channel })
            #expect(positions == positions.sorted())
            // A channel's pages come newest first, so that each continues what is known.
            if let known = oldest[channel] { #expect(try #require(positions.last) < known) }
            oldest[channel] = positions.first
            ids.formUnion(messages.compactMap(\.messageID))
        }
        #expect(ids.count == 5_000)
        #expect((640...700).contains(bytes / 5_000))
    }

    @Test(arguments: [1, 1_000, 20_000])
    func `the length of a message is told for few of them too`(messages: Int) throws {
        let data = try ServerData(seed: 1, messages: messages)
        let length = try data.bytesPerMessage()
        #expect((300...1_500).contains(length), "\(length)")
    }

    @Test func `the messages are as mixed as a chat's`() throws {
        let data = try ServerData(seed: 1, messages: 20_000)
        var (files, edited, replies, mine, asian, unknown) = (0, 0, 0, 0, 0, 0)
        for number in 0..<data.pageCount {
            var reader = try JSONReader(bytes: data.page(number))
            for message in try ListMessages.read(&reader).messages {
                if case .file = message.content { files += 1 }
                if message.updatedAt != nil { edited += 1 }
                if message.parentID != nil { replies += 1 }
                if message.requestID != nil { mine += 1 }
                if message.text.unicodeScalars.contains(where: { $0.value > 0x3000 }) { asian += 1 }
                if message.unknownFields["review"] != nil { unknown += 1 }
            }
        }
        #expect((800...1_200).contains(files))
        #expect((800...1_200).contains(edited))
        #expect((1_200...1_800).contains(replies))
        #expect((140...260).contains(mine))
        #expect(asian > 1_500)
        #expect((600...1_000).contains(unknown))
    }

    /// The run itself throws when the two sides find different numbers of messages.
    @Test func `a short run measures every workload on both sides`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-bench-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = CacheBench.Options(folder: folder)
        options.messages = 500
        options.rounds = 1
        options.emptiesFileCaches = false  // It is everybody's.
        let report = try await CacheBench.run(options) { _ in }
        for workload in CacheBench.Workload.allCases {
            let rows = report.rows.filter { $0.workload == workload.rawValue }
            #expect(!rows.isEmpty, "\(workload)")
            #expect(rows.allSatisfy { $0.limit != nil }, "\(workload)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        guard case .object(let fields) = try JSONValue(parsing: report.json),
            case .array(let rows)? = fields.first(where: { $0.name == "rows" })?.value
        else {
            Issue.record("the JSON has no rows")
            return
        }
        #expect(rows.count == report.rows.count)
        let lines = report.table.split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(lines.count == report.rows.count + 2)
    }

    @Test func `costs over sizes have the size, and peers do the same work`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-bench-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = CacheBench.Options(folder: folder)
        options.sizes = [300, 900]
        let report = try await CacheBench.run(options) { _ in }
        let sized = Set(CacheBench.sized.map(\.rawValue))
        #expect(Set(report.rows.map(\.workload)) == sized)
        for row in report.rows {
            #expect((row.ours ?? 0) > 0, "\(row.fullName)")
            #expect((row.limit ?? 0) > 0, "\(row.fullName)")
            #expect(row.peers.allSatisfy { $0.cost > 0 }, "\(row.fullName)")
        }
        for workload in sized {
            let rows = report.rows.filter { $0.workload == workload }
            #expect(Set(rows.map(\.size)) == [300, 900])
            #expect(rows.contains { $0.peers.map(\.name).contains(Peers.rows) })
        }
        #expect(report.facts.contains { $0.value.contains("900 messages") })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test func `the verdict compares the ratio with the target`() {
        func verdict(_ ours: Double?, _ target: Double?) -> BenchReport.Row.Verdict {
            BenchReport.Row(
                workload: "W1", name: "", unit: "µs", ours: ours, limit: 10, target: target
            ).verdict
        }
        #expect(verdict(20, 2) == .met)
        #expect(verdict(20.1, 2) == .missed)
        #expect(verdict(99, nil) == .shown)
        #expect(verdict(nil, 2) == .notBuilt)
    }
}
