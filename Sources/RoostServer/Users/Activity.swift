// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostWire

/// The users of each day, by the days of UTC.
///
/// A user is active on a day with a login, a call, or a frame of an open socket.
package final class Activity: ServerPart {
    let context: ServerContext
    private var today = 0
    /// The users who are in the storage for today or wait for it, as far as this server knows.
    private var known: Set<UserID> = []
    /// The users who are not in the storage yet, by their day.
    private var waiting: [Int: Set<UserID>] = [:]

    /// The days that the storage keeps.
    private static let keptDays = 92
    /// The days of a month.
    private static let monthDays = 30
    /// The most known users; a user beyond is stored again after each call.
    private static let knownLimit = 100_000
    /// The most users of one transaction.
    private static let batch = 1_000

    init(_ context: ServerContext) { self.context = context }

    /// Notes that a user is active today; `store` stores it, so no frame waits for the disk.
    func note(_ id: UserID) {
        let day = Self.day(of: world.now())
        if day != today { (today, known) = (day, []) }
        guard !known.contains(id) else { return }
        if known.count < Self.knownLimit { known.insert(id) }
        waiting[day, default: []].insert(id)
    }

    /// Stores the noted users; after a failure the next call tries again.
    func store() async {
        for day in waiting.keys.sorted() {
            while let users = waiting[day]?.prefix(Self.batch), !users.isEmpty {
                waiting[day]?.subtract(users)
                do throws(StorageError) {
                    try await storage.noteActivity(
                        of: Array(users), on: day, forgettingBefore: day - Self.keptDays + 1)
                } catch {
                    waiting[day, default: []].formUnion(users)
                    _ = refusal(error)
                    return
                }
            }
            if waiting[day]?.isEmpty == true { waiting[day] = nil }
        }
    }

    /// Answers with the number of users who were active on a day, or in the 30 days through it.
    func answer(
        _ action: ActivityAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let now = Self.day(of: world.now())
        let last = try call.fields.string("date").map(Self.day) ?? now
        let first = action == .monthly ? last - Self.monthDays + 1 : last
        guard last <= now, first > now - Self.keptDays else {
            throw ServerError(
                .invalidValue, "The server knows the users of the last \(Self.keptDays) days.")
        }
        await store()
        let count = try await ask(try await storage.activeUsers(from: first, through: last))
        return APIResponse { writer in writer.field(action == .monthly ? "mau" : "dau", count) }
    }

    /// Returns the number of the day since 1970.
    private static func day(of moment: Timestamp) -> Int {
        Int(moment.milliseconds / 86_400_000)
    }

    /// Returns the number of the day of a date such as 2026-02-28.
    package static func day(of date: String) throws(ServerError) -> Int {
        let refusal = ServerError(.invalidValue, "A date has the form YYYY-MM-DD.")
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            date.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            year >= 1970, (1...12).contains(month), (1...31).contains(day)
        else { throw refusal }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[month - 1] else { throw refusal }
        let before = year - 1
        let leaps = before / 4 - before / 100 + before / 400
        // 719,162 days lie before 1970.
        return 365 * before + leaps - 719_162 + lengths[..<(month - 1)].reduce(0, +) + day - 1
    }
}
