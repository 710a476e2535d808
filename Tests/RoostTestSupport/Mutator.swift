// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A generator of nearly valid input from valid input; the same seed gives the same inputs.
package struct Mutator {
    private var random: SplitMix64
    private let samples: [[UInt8]]
    private let words: [[UInt8]]

    /// The number of inputs for each fuzzer: few in the suite, `ROOST_FUZZ` in a long run.
    package static var rounds: Int {
        ProcessInfo.processInfo.environment["ROOST_FUZZ"].flatMap { Int($0) } ?? 300
    }

    /// The start of a long run, such as `ROOST_FUZZ_SEED=7`; a failure names the seed of its input.
    package static var seed: UInt64 {
        ProcessInfo.processInfo.environment["ROOST_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
    }

    package init(seed: UInt64, samples: [[UInt8]], words: [[UInt8]]) {
        random = SplitMix64(seed: seed)
        self.samples = samples
        self.words = words
    }

    package init(seed: UInt64, samples: [String], words: [String]) {
        self.init(
            seed: seed, samples: samples.map { Array($0.utf8) }, words: words.map { Array($0.utf8) }
        )
    }

    package mutating func below(_ bound: Int) -> Int { random.below(bound) }

    /// Returns one of the samples, changed in a few places.
    package mutating func next() -> [UInt8] {
        var bytes = samples[below(samples.count)]
        for _ in 0..<below(5) {
            let place = below(bytes.count + 1)
            let end = min(bytes.count, place + below(9))
            switch below(9) {
            case 0: bytes.replaceSubrange(place..<end, with: [])
            case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 2: bytes.insert(contentsOf: words[below(words.count)], at: place)
            case 3: bytes.replaceSubrange(place..<end, with: words[below(words.count)])
            case 4: bytes.insert(UInt8(below(256)), at: place)
            case 5: if place < bytes.count { bytes[place] ^= 1 << UInt8(below(8)) }
            case 6, 7: replaceNumber(behind: place, in: &bytes)
            default:
                let other = samples[below(samples.count)]
                bytes = Array(bytes[..<place] + other[below(other.count + 1)...])
            }
        }
        return bytes
    }

    /// Numbers at the limits of arithmetic and of ranges.
    package static let numbers = [
        "-1", "0", "1", "-0", "2147483647", "2147483648", "-2147483648", "-2147483649",
        "4294967296",
        "9007199254740993", "9223372036854775", "9223372036854776", "9223372036854775806",
        "9223372036854775807", "9223372036854775808", "-9223372036854775807",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "253402300799999",
        "253402300800000", "253402300799", "253402300800", "1e18", "1e308", "1e400", "0.5", "1e-5",
        "99999999999999999999999",
    ]

    /// Replaces the next number with an extreme one.
    private mutating func replaceNumber(behind place: Int, in bytes: inout [UInt8]) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let start = bytes[place...].firstIndex(where: digits.contains) else { return }
        let rest = bytes[start...].prefix(while: digits.contains)
        let hasSign = start > 0 && bytes[start - 1] == UInt8(ascii: "-")
        let number = Self.numbers[below(Self.numbers.count)]
        bytes.replaceSubrange((hasSign ? start - 1 : start)..<rest.endIndex, with: number.utf8)
    }

    /// Cuts bytes into pieces at random places.
    package mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + below(1 + below(64)))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
