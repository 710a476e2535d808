// SPDX-License-Identifier: Apache-2.0

/// The finished runs of one program, so that a long series can be cut and continued.
///
/// Its form is a first line with the program, the kind of world and the steps, and a line for each
/// block of seeds. A line that was cut off is left out; its seeds are run again.
package struct RunBook: Hashable, Sendable {
    /// The runs that a book may hold: only equal ones belong together.
    package struct Series: Hashable, Sendable {
        /// A hash of the program's file.
        package let program: String
        package let world: World
        package let steps: Int

        package init(program: String, world: World, steps: Int) {
            self.program = program
            self.world = world
            self.steps = steps
        }

        package var line: String {
            "roost-simulate runs, program \(program), world \(world.rawValue), steps \(steps)"
        }
    }

    /// Finished runs of successive seeds.
    package struct Block: Hashable, Sendable {
        package let seeds: Range<UInt64>
        package let milliseconds: Int
        /// The sum of the runs' `RunReport.work`.
        package let work: Int
        /// The seeds that broke an invariant.
        package let broken: [UInt64]

        package init(seeds: Range<UInt64>, milliseconds: Int, work: Int, broken: [UInt64]) {
            self.seeds = seeds
            self.milliseconds = milliseconds
            self.work = work
            self.broken = broken
        }

        package var line: String {
            let last = seeds.isEmpty ? seeds.lowerBound : seeds.upperBound - 1
            return "seeds \(seeds.lowerBound) to \(last), \(milliseconds) ms, \(work) work, "
                + "broken [\(broken.map(String.init).joined(separator: " "))]"
        }
    }

    package let series: Series
    /// The finished blocks by their first seed, without overlaps.
    package private(set) var blocks: [Block] = []

    package init(_ series: Series) { self.series = series }

    /// Reads the text of a book.
    ///
    /// - Throws: The line that fits no book of this series, for the reader's eyes.
    package init(_ series: Series, text: some StringProtocol) throws(Unfit) {
        self.series = series
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The part behind the last line end is empty or torn.
        _ = lines.popLast()
        guard let first = lines.first else { return }
        guard first == series.line else { throw Unfit(line: String(first)) }
        for line in lines.dropFirst() {
            guard let block = Block(line), note(block) else { throw Unfit(line: String(line)) }
        }
    }

    /// A line that fits no book of the series.
    package struct Unfit: Error, Hashable {
        package let line: String

        package init(line: String) { self.line = line }
    }

    /// Adds a block; returns false if it has seeds that the book already has.
    package mutating func note(_ block: Block) -> Bool {
        let place = blocks.firstIndex { $0.seeds.lowerBound >= block.seeds.upperBound }
        let end = place ?? blocks.endIndex
        if end > 0, blocks[end - 1].seeds.upperBound > block.seeds.lowerBound { return false }
        blocks.insert(block, at: end)
        return true
    }

    /// Returns the next seeds without a finished run, at most a number of them; nil if there are
    /// none.
    package func next(in seeds: Range<UInt64>, atMost count: UInt64) -> Range<UInt64>? {
        var first = seeds.lowerBound
        for block in blocks where block.seeds.upperBound > first {
            if block.seeds.lowerBound > first {
                return first..<min(block.seeds.lowerBound, seeds.upperBound, first + count)
            }
            first = block.seeds.upperBound
            if first >= seeds.upperBound { return nil }
        }
        guard first < seeds.upperBound else { return nil }
        return first..<min(seeds.upperBound, first + count)
    }

    /// The number of finished runs.
    package var count: Int { blocks.reduce(0) { $0 + $1.seeds.count } }

    package var broken: [UInt64] { blocks.flatMap(\.broken) }

    /// The finished runs in a sentence, with the rate of the time in which they ran.
    package var summary: String {
        let seconds = Double(max(1, blocks.reduce(0) { $0 + $1.milliseconds })) / 1_000
        let work = blocks.reduce(0) { $0 + $1.work }
        return "\(count) \(series.world.rawValue) runs of \(series.steps) steps in "
            + "\(Int(seconds)) s, \(Int(Double(count) / seconds * 60)) a minute, \(work) "
            + "\(series.world.unitOfWork); \(broken.count) broke an invariant"
    }
}

extension RunBook.Block {
    fileprivate init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 9, words[0] == "seeds", words[2] == "to", words[3].hasSuffix(","),
            let first = UInt64(words[1]), let last = UInt64(words[3].dropLast()),
            first <= last, last < .max, words[5] == "ms,", words[7] == "work,",
            let milliseconds = Int(words[4]), let work = Int(words[6]), milliseconds >= 0, work >= 0
        else { return nil }
        let rest = words[8...].joined(separator: " ")
        guard rest.hasPrefix("broken ["), rest.hasSuffix("]") else { return nil }
        let names = rest.dropFirst("broken [".count).dropLast().split(separator: " ")
        let broken = names.compactMap { UInt64($0) }
        guard broken.count == names.count else { return nil }
        self.init(seeds: first..<last + 1, milliseconds: milliseconds, work: work, broken: broken)
        guard self.line == line else { return nil }
    }
}
