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

    /// The modules whose documentation an app's developer reads beside the code.
    private static let publicFolders = ["Sources/Roost", "Sources/RoostModel"]

    @Test func `documentation of public declarations has no numbers of the project's own`() throws {
        let number = /\bscars? \d|\bR\d/
        var count = 0
        for file in try Self.publicFolders.flatMap({ try Project.swiftFiles(below: $0) }) {
            for (comment, declaration) in Self.documented(in: try Project.text(file))
            where declaration.split(separator: " ").contains("public") {
                count += 1
                #expect(comment.firstMatch(of: number) == nil, "\(file): \(comment)")
            }
        }
        #expect(count > 1_000)
    }

    /// Returns each comment of documentation with the first line of its declaration.
    private static func documented(
        in text: String
    ) -> [(comment: String, declaration: Substring)] {
        var found: [(comment: String, declaration: Substring)] = []
        var comment: [Substring] = []
        for line in text.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("///") {
                comment.append(line)
            } else if !comment.isEmpty, !Self.isAttribute(line) {
                found.append((comment.joined(separator: "\n"), line))
                comment = []
            }
        }
        return found
    }

    /// Whether a line between a comment and its declaration has attributes or a remark only.
    private static func isAttribute(_ line: Substring) -> Bool {
        line.hasPrefix("//")
            || line.hasPrefix("@") && !line.split(separator: " ").contains("public")
    }
}
