// SPDX-License-Identifier: Apache-2.0

import RoostHistory
import RoostTestSupport
import Testing

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct HistoryJudgeTests {
    /// Good stories for planting: half of them have logs.
    private static let stories = (1...6 as ClosedRange<UInt64>).map { seed in
        HistoryStory(seed: seed, hasLog: seed % 2 == 0)
    }

    @Test func `good histories have no complaint, with a log and without one`() throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            let story = HistoryStory(seed: seed, steps: 400, hasLog: seed % 3 > 0)
            let verdict = try story.verdict()
            #expect(verdict.isGood, "seed \(seed): \(verdict.complaints.prefix(3))")
            #expect(verdict.notes.isEmpty, "seed \(seed): \(verdict.notes)")
            #expect(verdict.counts.acknowledgedSends > 30)
            #expect(verdict.counts.messagesInLogs > 30)
        }
    }

    @Test func `the order of the files does not matter`() throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            var story = HistoryStory(seed: seed)
            var random = SplitMix64(seed: seed)
            story.files.shuffle(using: &random)
            #expect(try story.verdict().isGood, "seed \(seed)")
        }
    }

    @Test(arguments: PlantedFault.all)
    func `a planted fault is found with a complaint of its kind`(fault: PlantedFault) throws {
        var planted = 0
        for (number, good) in Self.stories.enumerated() {
            var story = good
            guard fault.plant(&story) else { continue }
            planted += 1
            let verdict = try story.verdict()
            #expect(
                verdict.complaints.contains { $0.rule == fault.rule },
                "story \(number): \(verdict.complaints.prefix(3))")
        }
        #expect(planted >= 4, "the stories are too short for this fault")
    }

    @Test func `each judgement has planted faults, and there are at least twenty`() {
        #expect(PlantedFault.all.count >= 20)
        #expect(Set(PlantedFault.all.map(\.name)).count == PlantedFault.all.count)
        #expect(Set(PlantedFault.all.map(\.rule)) == Set(Complaint.Rule.allCases))
    }

    @Test func `a complaint names the line, the message, the expected and the seen value`() throws {
        var story = HistoryStory(seed: 3)
        let lost = try #require(story.plainMessages().first)
        story.changeEnd(of: lost.channel) { $0.removeAll { $0.id == lost.message.id } }
        let complaint = try #require(
            try story.verdict().complaints.first {
                $0.rule == .once && $0.message == lost.message.id
            })
        #expect(complaint.place == HistoryPlace(file: lost.site.file, line: lost.site.line + 1))
        #expect(complaint.request == lost.message.request)
        #expect(complaint.channel == lost.channel)
        #expect(complaint.expected.contains("in the log"))
        #expect(complaint.seen.contains("lacks it"))
    }

    @Test func `a client that ended early need not know the end`() throws {
        var story = HistoryStory(seed: 5)
        let fault = try #require(PlantedFault.all.first { $0.rule == .final })
        #expect(fault.plant(&story))
        let complaints = try story.verdict().complaints
        let place = try #require(complaints.first { $0.rule == .final }).place
        let client = story.files[Int(place.file)][0].client
        #expect(try story.verdict(early: [client]).isGood)
    }
}
