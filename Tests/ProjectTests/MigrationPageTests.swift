// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The comparison of the migration pages with the tests that hold their claims.
///
/// A claim is a row of a table, by its first cell, or an item of a list, by its beginning.
struct MigrationPageTests {
    private struct Claim: Hashable {
        let page: String
        let text: String
    }

    private static let pages = [
        "v4": "Sources/SendbirdChatSDK/SendbirdChatSDK.docc/MigratingFromV4.md",
        "v3": "Sources/SendBirdSDK/SendBirdSDK.docc/MigratingFromV3.md",
    ]
    private static let itemLength = 48

    private static func claims() throws -> Set<Claim> {
        var claims: Set<Claim> = []
        for (page, path) in pages {
            var last: Substring = ""
            for line in try Project.text(path).split(
                separator: "\n", omittingEmptySubsequences: false)
            {
                if line.hasPrefix("- ") {
                    let start = line.dropFirst(2).prefix(itemLength)
                    claims.insert(
                        Claim(page: page, text: start.trimmingCharacters(in: .whitespaces)))
                } else if line.hasPrefix("|"), last.hasPrefix("|"), !line.hasPrefix("|---") {
                    let cell = line.split(separator: "|", omittingEmptySubsequences: false)[1]
                    claims.insert(
                        Claim(page: page, text: cell.trimmingCharacters(in: .whitespaces)))
                }
                last = line
            }
        }
        return claims
    }

    /// The lines of `docs/reference/claims.tsv`: a claim and the sentence of a test.
    private static func lines() throws -> [(claim: Claim, test: String)] {
        try Project.text("docs/reference/claims.tsv").split(separator: "\n").dropFirst().map {
            let cells = $0.split(separator: "\t").map(String.init)
            try #require(cells.count == 3, "\($0)")
            return (Claim(page: cells[0], text: cells[1]), cells[2])
        }
    }

    @Test func `each claim of a migration page has a test, and each line a claim`() throws {
        let claims = try Self.claims()
        let held = Set(try Self.lines().map(\.claim))
        #expect(claims.count > 100)
        for claim in claims.subtracting(held) { Issue.record("\(claim) has no test") }
        for claim in held.subtracting(claims) { Issue.record("\(claim) is on no page") }
    }

    @Test func `each test of a claim exists`() throws {
        var sentences: Set<String> = []
        for file in try Project.swiftFiles(below: "Tests") {
            for match in try Project.text(file).matches(of: /func\s+`([^`]+)`/) {
                let name = match.1.replacing(/\s*\([^()]*\)$/, with: "")
                sentences.insert(String(name))
            }
        }
        for (claim, test) in try Self.lines() {
            #expect(sentences.contains(test), "\(claim) names no test: \(test)")
        }
    }
}
