// SPDX-License-Identifier: Apache-2.0

import RoostTestSupport

/// A decoder with the samples that its inputs are made from.
///
/// The same number always gives the same input, so target, seed and number identify a failure.
struct FuzzTarget: Sendable {
    let name: String
    let samples: [[UInt8]]
    let words: [[UInt8]]
    /// Reads an input; returns a complaint about the result, or nil.
    let read: @Sendable (inout FuzzInput) -> String?

    init(
        _ name: String, samples: [[UInt8]], words: [[UInt8]] = FuzzWords.json,
        read: @escaping @Sendable (inout FuzzInput) -> String?
    ) {
        self.name = name
        self.samples = samples
        self.words = words
        self.read = read
    }

    init(
        _ name: String, samples: [String], words: [[UInt8]] = FuzzWords.json,
        read: @escaping @Sendable (inout FuzzInput) -> String?
    ) {
        self.init(name, samples: samples.map { Array($0.utf8) }, words: words, read: read)
    }

    /// Returns the input of a number: a sample that was changed in a few places.
    func input(seed: UInt64, round: UInt64) -> FuzzInput {
        var mutator = Mutator(seed: Self.mixed(seed, round), samples: samples, words: words)
        let bytes = mutator.next()
        return FuzzInput(bytes: bytes, mutator: mutator)
    }

    /// Returns an input that failed once.
    func input(_ bytes: [UInt8]) -> FuzzInput {
        FuzzInput(bytes: bytes, mutator: Mutator(seed: 1, samples: samples, words: words))
    }

    private static func mixed(_ seed: UInt64, _ round: UInt64) -> UInt64 {
        var random = SplitMix64(seed: seed)
        return random.next() ^ (round &* 0x9E37_79B9_7F4A_7C15)
    }
}

/// The bytes to read, with randomness for a target that needs more of it.
struct FuzzInput: Sendable {
    let bytes: [UInt8]
    private var mutator: Mutator

    init(bytes: [UInt8], mutator: Mutator) {
        self.bytes = bytes
        self.mutator = mutator
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the bytes in pieces, as a network cuts them.
    mutating func pieces() -> [[UInt8]] { mutator.pieces(of: bytes) }
}

/// Texts that are put into inputs, besides parts of other samples.
enum FuzzWords {
    static let json = bytes([
        "{", "}", "[", "]", "\"", "\\", "\\u0000", "\\ud800", "null", "true", ",", ":", "\n", "\0",
        "\u{202e}", "\"\"", "[]", "{}", "[[", "1,", "req_id", String(repeating: "[", count: 130),
        String(repeating: "{\"a\":", count: 130), String(repeating: "9", count: 400),
    ])

    static func bytes(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }
}
