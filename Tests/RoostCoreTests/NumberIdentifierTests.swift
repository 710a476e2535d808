// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

struct NumberIdentifierTests {
    @Test func `numbered identifiers are stored as bare numbers`() throws {
        try expectNumber(PollID(7))
        try expectNumber(PollOptionID(7))
        try expectNumber(ScheduledMessageID(7))
        try expectNumber(MessageID(7))
    }

    @Test func `a poll of an earlier release without identifier types is readable`() throws {
        var poll = Poll(id: 30)
        poll.options = [Poll.Option(id: 36), Poll.Option(id: 37)]
        poll.votedOptionIDs = [36]
        let json = String(decoding: try JSONEncoder().encode(poll), as: UTF8.self)
        #expect(json.contains(#""id":30"#) && json.contains(#""id":37"#))
        #expect(json.contains(#""votedOptionIDs":[36]"#))
        #expect(try JSONDecoder().decode(Poll.self, from: Data(json.utf8)) == poll)
    }

    private func expectNumber<ID: Codable & Equatable>(
        _ id: ID, at location: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = try JSONEncoder().encode([id])
        #expect(String(decoding: bytes, as: UTF8.self) == "[7]", sourceLocation: location)
        #expect(
            try JSONDecoder().decode([ID].self, from: bytes) == [id], sourceLocation: location)
    }
}
