// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The counts of active users.
struct ActivityTests {
    private typealias Scene = PlatformCallTests.Scene

    /// The clock of a test begins on 2023-11-14, 22:13:20 UTC.
    private static let dayLength: Int64 = 86_400_000

    @Test(arguments: StorageKind.allCases)
    func `users count once for each day and month in which they did anything (protocol 3.14)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(try await kind.make())
        func count(_ word: String, _ date: String? = nil) async throws -> Int64? {
            let query = date.map { "?date=" + $0 } ?? ""
            return try await scene.ask(.get, "applications/\(word)\(query)")[word]?.int
        }
        #expect(try await count("dau") == 3)
        #expect(try await count("mau") == 3)
        try await scene.ask(.post, "users", #"{"user_id":"idle","nickname":"i"}"#)
        #expect(try await count("dau") == 3, "a user whom the platform made did nothing")
        scene.fixture.world.advance(Self.dayLength)
        #expect(try await count("dau") == 0)
        #expect(try await count("mau") == 3)
        // A call, and twice a frame of a socket that was opened the day before.
        try await scene.ask(.get, "users/ann/unread_message_count", as: scene.ann)
        for request in ["1", "2"] {
            await scene.fixture.send("x", RequestID(request), to: "g", on: scene.bob)
        }
        #expect(try await count("dau") == 2)
        #expect(try await count("mau") == 3)
        #expect(try await count("dau", "2023-11-14") == 3)
        #expect(try await count("mau", "2023-11-14") == 3)
        #expect(try await count("dau", "2023-11-13") == 0)
        scene.fixture.world.advance(29 * Self.dayLength)
        #expect(try await count("mau") == 2, "the first day is 31 days ago")
        #expect(try await count("mau", "2023-12-13") == 3)
        scene.fixture.world.advance(62 * Self.dayLength)
        try await scene.ask(.get, "users/ann/unread_message_count", as: scene.ann)
        #expect(try await count("dau") == 1)
        #expect(try await count("dau", "2023-11-14") == nil, "that day is forgotten")
        #expect(try await count("dau", "2023-11-15") == 2, "this day is the oldest one kept")
    }

    @Test(arguments: [
        "2023-11-15", "2023-08-14", "2023-02-29", "2023-11-31", "2023-13-01", "2023-00-10",
        "2023-11-00", "+023-11-1", "0000-01-01", "9999-12-31", "today", "2023-1-1", "--",
        "2023-11-14-", "99999999999999999999",
    ])
    func `a date that is none, or of which nothing is known, is refused (protocol 3.14)`(
        date: String
    ) async throws {
        let scene = try await Scene()
        for word in ["dau", "mau"] {
            let answer = try await scene.ask(.get, "applications/\(word)?date=\(date)")
            #expect(answer["code"]?.int == Int64(RoostError.Code.invalidValue.rawValue))
        }
    }

    @Test func `a date is the number of its day since 1970 (protocol 3.14)`() throws {
        for (date, day) in [
            ("1970-01-01", 0), ("1972-02-29", 789), ("1972-03-01", 790), ("2000-12-31", 11_322),
            ("2023-11-14", 19_675), ("2100-03-01", 47_541), ("9999-12-31", 2_932_896),
        ] {
            #expect(try Activity.day(of: date) == day, "\(date)")
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a storage forgets days, and no unknown user is active`(kind: StorageKind) async throws {
        let storage = try await kind.make()
        for id in ["a", "b"] { try await storage.addUser(User(id: UserID(id))) }
        for (id, day) in [("a", 1), ("b", 1), ("a", 2), ("a", 2), ("none", 2)] {
            try await storage.noteActivity(of: [UserID(id)], on: day, forgettingBefore: 0)
        }
        #expect(try await storage.activeUsers(from: 1, through: 1) == 2)
        #expect(try await storage.activeUsers(from: 2, through: 2) == 1)
        #expect(try await storage.activeUsers(from: 0, through: 9) == 2)
        #expect(try await storage.activeUsers(from: 2, through: 1) == 0)
        try await storage.noteActivity(of: ["b", "none"], on: 3, forgettingBefore: 2)
        #expect(try await storage.activeUsers(from: 0, through: 1) == 0)
        #expect(try await storage.activeUsers(from: 2, through: 3) == 2)
    }
}
