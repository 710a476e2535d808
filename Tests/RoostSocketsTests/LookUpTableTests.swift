// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostSockets

struct LookUpTableTests {
    private typealias Table = LookUpTable<String>

    private let start = ContinuousClock.now
    private let question = Table.Question(host: "chat.example", port: 443)

    @Test func `equal questions share a look-up, and other questions do not`() throws {
        var table = Table()
        let other = Table.Question(host: "chat.example", port: 80)
        let added = [
            table.add("a", asking: question, at: start),
            table.add("b", asking: question, at: start + .seconds(1)),
            table.add("c", asking: other, at: start + .seconds(1)),
        ]
        #expect(added == [1, nil, 2])
        let ended = [table.end(1), table.end(2), table.end(1)]
        #expect(ended == [["a", "b"], ["c"], []])
        let again = table.add("d", asking: question, at: start + .seconds(1))
        #expect(again == 3)
    }

    @Test func `a question after a change of network does not wait for the look-up before it`() {
        var table = Table()
        let added = [
            table.add("a", asking: question, at: start),
            table.add("b", asking: question, at: start + .seconds(3)),
            table.add("c", asking: question, at: start + .seconds(4)),
        ]
        #expect(added == [1, 2, nil])
        let ended = [table.end(2), table.end(1)]
        #expect(ended == [["b", "c"], ["a"]])
    }

    @Test func `a dead name server takes two threads of a question`() {
        var table = Table()
        let added = (0..<10).map { number in
            table.add("\(number)", asking: question, at: start + .seconds(5 * number))
        }
        #expect(added == [1, 2] + [Int?](repeating: nil, count: 8))
        let ended = table.end(2)
        #expect(ended == (1..<10).map { "\($0)" })
    }
}
