// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The tokens of lists of users, which may change between two pages.
struct ListTokenTests {
    private static let path = "group_channels/g/members?limit=2"

    /// Ann, Bob and five more members of the channel "g".
    private static func scene() async throws -> BudgetScene {
        let scene = try await BudgetScene()
        for id in ["c", "d", "e", "f"] as [UserID] { _ = try await scene.fixture.connect(id) }
        try await scene.ask(
            "POST", "group_channels/g/invite", #"{"user_ids":["c","d","e","f"]}"#, as: scene.ann)
        return scene
    }

    private static func page(
        _ token: String, in scene: BudgetScene
    ) async throws -> (ids: [String], next: String) {
        let answer = try await scene.ask(
            "GET", path + "&token=" + PercentEncoding.encode(token), as: scene.ann)
        let ids = (answer["members"]?.array ?? []).compactMap { $0["user_id"]?.string }
        return (ids, answer["next"]?.string ?? "")
    }

    @Test(arguments: ["ann", "bob", "e"])
    func `a member who leaves between two pages makes the next one skip and repeat nobody`(
        leaver: UserID
    ) async throws {
        let scene = try await Self.scene()
        let first = try await Self.page("", in: scene)
        #expect(first.ids == ["ann", "bob"])
        if leaver == "ann" {
            try await scene.ask(
                "PUT", "users/ann", #"{"nickname":"zoe"}"#, as: scene.ann)
        } else {
            try await scene.ask(
                "PUT", "group_channels/g/leave", #"{"user_ids":["\#(leaver)"]}"#, as: nil)
        }
        var (found, next) = (first.ids, first.next)
        while !next.isEmpty {
            let page = try await Self.page(next, in: scene)
            found += page.ids
            next = page.next
        }
        let all = ["ann", "bob", "c", "d", "e", "f"]
        let expected = leaver == "e" ? all.filter { $0 != "e" } : all
        #expect(Set(found) == Set(expected), "\(found)")
        if leaver != "ann" { #expect(found == expected) }
    }

    @Test(arguments: ["x", "-1.ann", "9223372036854775808.ann", ".ann", "1"])
    func `a token of another list is refused, with the advice to start again`(
        token: String
    ) async throws {
        let scene = try await Self.scene()
        let answer = try await scene.ask(
            "GET", Self.path + "&token=" + PercentEncoding.encode(token), as: scene.ann)
        #expect(answer["code"] == 400_111, "\(answer)")
        #expect("\(answer)".contains("start from the beginning"))
    }

    @Test func `a token far beyond the end of a list ends it`() async throws {
        let scene = try await Self.scene()
        let page = try await Self.page("9223372036854775807.nobody", in: scene)
        #expect(page.ids == [] && page.next == "")
    }
}
