// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel
import Testing

/// The search for some users in the pages of a list.
struct PageSelectionTests {
    /// Reads pages by their tokens, which are their numbers, and counts the questions.
    private static func find(
        _ ids: [UserID], in pages: [(users: [UserID], next: Int?)]
    ) async throws -> (found: [UserID], questions: Int) {
        var questions = 0
        let page = try await Page<User>.selecting(ids, after: nil) {
            (token: String?) throws(RoostError) -> Page<User> in
            questions += 1
            let page = pages[token.flatMap { Int($0) } ?? 0]
            return Page(page.users.map { User(id: $0) }, next: page.next.map { "\($0)" })
        }
        #expect(page.next == nil)
        return (page.elements.map(\.id), questions)
    }

    @Test func `pages are read until all users are found, and each is found once`() async throws {
        let pages: [(users: [UserID], next: Int?)] = [
            (["a", "b"], 1), (["b", "c"], 2), (["d"], 3), (["e"], nil),
        ]
        let some = try await Self.find(["b", "d"], in: pages)
        #expect(some.found == ["b", "d"] && some.questions == 3)
        let missing = try await Self.find(["b", "none"], in: pages)
        #expect(missing.found == ["b"] && missing.questions == 4)
    }

    @Test func `a list that repeats a token or has no users ends (scar 141)`() async throws {
        let circle = try await Self.find(["none"], in: [(["a"], 1), (["b"], 0)])
        #expect(circle.found == [] && circle.questions == 3)
        let empty = try await Self.find(["none"], in: [(["a"], 1), ([], 2), (["b"], nil)])
        #expect(empty.questions == 2)
    }
}
