// SPDX-License-Identifier: Apache-2.0

import RoostSimulator
import Testing

/// The book of a long series of runs, as a value.
struct RunBookTests {
    private static let series = RunBook.Series(program: "abc", world: .core, steps: 60)

    private static func block(_ seeds: Range<UInt64>, broken: [UInt64] = []) -> RunBook.Block {
        RunBook.Block(seeds: seeds, milliseconds: 1_500, work: 40, broken: broken)
    }

    private static func text(_ blocks: RunBook.Block...) -> String {
        ([series.line] + blocks.map(\.line)).map { $0 + "\n" }.joined()
    }

    @Test func `a series that was cut at any byte runs each seed that it lacks once`() throws {
        let text = Self.text(Self.block(1..<4, broken: [2]), Self.block(4..<7), Self.block(9..<10))
        for length in 0...text.utf8.count {
            let cut = String(decoding: Array(text.utf8.prefix(length)), as: UTF8.self)
            var book = try RunBook(Self.series, text: cut)
            while let next = book.next(in: 1..<12, atMost: 3) {
                #expect(!next.isEmpty && next.count <= 3)
                let isNew = book.note(Self.block(next))
                #expect(isNew)
                guard isNew else { break }
            }
            #expect(book.count == 11)
            #expect(book.blocks.flatMap(\.seeds) == Array(1..<12))
        }
    }

    @Test func `a book keeps the broken seeds and adds up its blocks`() throws {
        let book = try RunBook(
            Self.series, text: Self.text(Self.block(4..<7, broken: [5, 6]), Self.block(1..<4)))
        #expect(book.broken == [5, 6])
        #expect(
            book.summary == "6 core runs of 60 steps in 3 s, 120 a minute, 80 inputs of machines; "
                + "2 broke an invariant")
    }

    @Test func `seeds outside the book are found before, between and behind its blocks`() throws {
        let book = try RunBook(
            Self.series, text: Self.text(Self.block(10..<20), Self.block(30..<40)))
        #expect(book.next(in: 0..<100, atMost: 5) == 0..<5)
        #expect(book.next(in: 5..<100, atMost: 50) == 5..<10)
        #expect(book.next(in: 12..<100, atMost: 50) == 20..<30)
        #expect(book.next(in: 12..<22, atMost: 50) == 20..<22)
        #expect(book.next(in: 30..<100, atMost: 50) == 40..<90)
        #expect(book.next(in: 10..<20, atMost: 50) == nil)
        #expect(book.next(in: 32..<35, atMost: 50) == nil)
    }

    @Test(arguments: [
        RunBook.Series(program: "abd", world: .core, steps: 60),
        RunBook.Series(program: "abc", world: .full, steps: 60),
        RunBook.Series(program: "abc", world: .core, steps: 61),
    ])
    func `a book of other runs is refused`(_ other: RunBook.Series) {
        #expect(throws: RunBook.Unfit(line: Self.series.line)) {
            try RunBook(other, text: Self.text())
        }
    }

    @Test(arguments: [
        "seeds 1 to 3, 1500 ms, 40 work, broken [x]", "seeds 3 to 1, 1 ms, 1 work, broken []",
        "seeds 0 to 18446744073709551615, 1 ms, 1 work, broken []", "anything", "",
        "seeds 1 to 3, -1 ms, 1 work, broken []", "seeds 5 to 6, 1 ms, 1 work, broken []",
    ])
    func `a damaged line, or one with seeds of another, is shown`(_ line: String) {
        #expect(throws: RunBook.Unfit(line: line)) {
            try RunBook(Self.series, text: Self.text(Self.block(5..<7)) + line + "\n")
        }
    }
}
