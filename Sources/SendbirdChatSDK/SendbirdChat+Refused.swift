// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors

/// The days of a week.
public enum DayOfWeek: Int, CaseIterable, Sendable {
    /// Monday.
    case monday
    /// Tuesday.
    case tuesday
    /// Wednesday.
    case wednesday
    /// Thursday.
    case thursday
    /// Friday.
    case friday
    /// Saturday.
    case saturday
    /// Sunday.
    case sunday
}

/// A part of a day without pushes.
public struct DndTimeWindow: Hashable, Sendable {
    /// The hour of the start, 0...23.
    public var startHour: Int
    /// The minute of the start, 0...59.
    public var startMinute: Int
    /// The hour of the end, 0...23.
    public var endHour: Int
    /// The minute of the end, 0...59.
    public var endMinute: Int

    /// Creates a part of a day.
    public init(startHour: Int, startMinute: Int, endHour: Int, endMinute: Int) {
        self.startHour = startHour
        self.startMinute = startMinute
        self.endHour = endHour
        self.endMinute = endMinute
    }
}

/// The parts of each day without pushes.
public typealias DndSchedule = [DayOfWeek: [DndTimeWindow]]

extension SendbirdChat {
    // MARK: Days without pushes

    /// Fails, because the server keeps the same hours for each day; see `setDoNotDisturb`.
    public class func setWeeklyDoNotDisturb(
        schedules: DndSchedule, timezone: TimeZone = .current,
        completionHandler: SBErrorHandler? = nil
    ) { door.refuse(completionHandler, "The server keeps the same hours for each day.") }

    /// Fails, because the server keeps the same hours for each day; see `setDoNotDisturb`.
    public class func clearWeeklyDoNotDisturb(completionHandler: SBErrorHandler? = nil) {
        door.refuse(completionHandler, "The server keeps the same hours for each day.")
    }

    // MARK: Friends

    /// Fails, because the client knows no friends.
    public class func addFriends(
        userIds: [String], completionHandler: (([User]?, SBError?) -> Void)? = nil
    ) { door.refuse(completionHandler, "The client knows no friends.") }

    /// Fails, because the client knows no friends.
    public class func deleteFriend(userId: String, completionHandler: SBErrorHandler? = nil) {
        door.refuse(completionHandler, "The client knows no friends.")
    }

    /// Fails, because the client knows no friends.
    public class func deleteFriends(
        userIds: [String], completionHandler: SBErrorHandler? = nil
    ) { door.refuse(completionHandler, "The client knows no friends.") }
}
