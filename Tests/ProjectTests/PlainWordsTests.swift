// SPDX-License-Identifier: Apache-2.0

import Testing

/// Holds the rule that a comment names the thing it is about first.
struct PlainWordsTests {
    /// The habits: a relative clause or a pronoun in the place of a noun.
    private static let habits: Set<Substring> = [
        "What", "Who", "Whom", "Whose", "Whoever", "Whatever", "Nobody", "Somebody", "Others",
        "How",
        "Why",
    ]
    /// The habits of documentation only; a remark may begin with the time or the place of its case.
    private static let questions: Set<Substring> = ["When", "Where"]

    @Test func `comments begin with a noun or a verb`() throws {
        for folder in ["Sources", "Tests", "Examples", "Fuzz", "Benchmarks", "Simulator"] {
            for file in try Project.swiftFiles(below: folder) {
                for line in try Project.text(file).utf8.split(separator: UInt8(ascii: "\n")) {
                    let text = line.drop { $0 == UInt8(ascii: " ") }
                    guard text.starts(with: "//".utf8) else { continue }
                    let words = Substring(text).drop { $0 == "/" || $0 == " " }
                    let first = words.prefix { $0.isLetter }
                    #expect(!Self.habits.contains(first), "\(file): \(words)")
                    let isQuestion = text.starts(with: "///".utf8) && Self.questions.contains(first)
                    #expect(!isQuestion, "\(file): \(words)")
                    #expect(!words.hasPrefix("It is told"), "\(file): \(words)")
                }
            }
        }
    }
}
