// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

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

/// A part of a day without pushes; an end before the start is on the next day.
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

    /// Sets the parts of each day without pushes; those of all days are replaced.
    ///
    /// They count beside the hours of `setDoNotDisturb`, in one time zone.
    public class func setWeeklyDoNotDisturb(
        schedules: DndSchedule, timezone: TimeZone = .current,
        completionHandler: SBErrorHandler? = nil
    ) { change(week: WeeklyDoNotDisturb(schedules, timezone), completionHandler) }

    /// Returns the parts of each day without pushes, and their time zone.
    public class func getWeeklyDoNotDisturb(
        completionHandler: @escaping (DndSchedule?, TimeZone?, SBError?) -> Void
    ) {
        door.perform(
            then: .answer(
                { (week: WeeklyDoNotDisturb?, error) in
                    completionHandler(
                        week?.schedule, week.flatMap { TimeZone(identifier: $0.timeZone) }, error)
                }, { $0 })
        ) { client throws(RoostError) in
            try await client.pushPreferences().weeklyDoNotDisturb ?? WeeklyDoNotDisturb()
        }
    }

    /// Removes the parts of all days; the hours of `setDoNotDisturb` stay.
    public class func clearWeeklyDoNotDisturb(completionHandler: SBErrorHandler? = nil) {
        change(week: WeeklyDoNotDisturb(), completionHandler)
    }

    private class func change(week: WeeklyDoNotDisturb, _ handler: SBErrorHandler?) {
        door.perform(then: .done(handler)) { client throws(RoostError) in
            try await client.update(PushPreferencesChange(weeklyDoNotDisturb: week))
        }
    }
}

extension WeeklyDoNotDisturb {
    /// The days of both types are in the same order.
    private static let days = Array(zip(DayOfWeek.allCases, Day.allCases))

    fileprivate init(_ schedule: DndSchedule, _ timeZone: TimeZone) {
        self.init(timeZone: timeZone.identifier)
        for (name, day) in Self.days {
            windows[day] = schedule[name]?.map { window in
                Window(
                    startHour: window.startHour, startMinute: window.startMinute,
                    endHour: window.endHour, endMinute: window.endMinute)
            }
        }
    }

    fileprivate var schedule: DndSchedule {
        var schedule = DndSchedule()
        for (name, day) in Self.days {
            schedule[name] = windows[day]?.map { window in
                DndTimeWindow(
                    startHour: window.startHour, startMinute: window.startMinute,
                    endHour: window.endHour, endMinute: window.endMinute)
            }
        }
        return schedule
    }
}
