// SPDX-License-Identifier: Apache-2.0

/// The services that carry push notifications to devices (`docs/protocol` 3.4).
///
/// A Roost server stores tokens and preferences, and sends no notifications itself.
public enum PushTokenKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Apple's service.
    case apns
    /// Google's service.
    case gcm
    /// Huawei's service.
    case huawei
}

/// The user's preferences for push notifications, for all devices.
public struct PushPreferences: Hashable, Codable, Sendable {
    /// The messages that cause a notification.
    public var trigger: PushTrigger
    /// The daily hours without notifications; nil if the server did not send it.
    public var doNotDisturb: DoNotDisturb?
    /// The hours without notifications of each day of the week; nil if the server did not send it.
    public var weeklyDoNotDisturb: WeeklyDoNotDisturb?
    /// A period without notifications; nil if the server did not send it.
    public var snooze: Snooze?
    /// The name of the sound.
    public var sound: String

    /// Creates preferences; without arguments, those of a new user.
    public init(
        trigger: PushTrigger = .all, doNotDisturb: DoNotDisturb? = nil, snooze: Snooze? = nil,
        sound: String = "default", weeklyDoNotDisturb: WeeklyDoNotDisturb? = nil
    ) {
        self.trigger = trigger
        self.doNotDisturb = doNotDisturb
        self.weeklyDoNotDisturb = weeklyDoNotDisturb
        self.snooze = snooze
        self.sound = sound
    }
}

/// The push preferences to be changed; nil leaves a preference as it is.
public struct PushPreferencesChange: Hashable, Codable, Sendable {
    /// The messages that cause a notification.
    public var trigger: PushTrigger?
    /// The daily hours without notifications.
    public var doNotDisturb: DoNotDisturb?
    /// The hours without notifications of each day of the week; without any, they end.
    public var weeklyDoNotDisturb: WeeklyDoNotDisturb?
    /// A period without notifications.
    public var snooze: Snooze?
    /// The name of the sound.
    public var sound: String?

    /// Creates a change of what is not nil.
    public init(
        trigger: PushTrigger? = nil, doNotDisturb: DoNotDisturb? = nil, snooze: Snooze? = nil,
        sound: String? = nil, weeklyDoNotDisturb: WeeklyDoNotDisturb? = nil
    ) {
        self.trigger = trigger
        self.doNotDisturb = doNotDisturb
        self.weeklyDoNotDisturb = weeklyDoNotDisturb
        self.snooze = snooze
        self.sound = sound
    }
}

/// Daily hours without notifications.
public struct DoNotDisturb: Hashable, Codable, Sendable {
    /// Whether the hours count.
    public var isOn: Bool
    /// The hour of the beginning, 0...23.
    public var startHour: Int
    /// The minute of the beginning, 0...59.
    public var startMinute: Int
    /// The hour of the end, 0...23; an end before the beginning is on the next day.
    public var endHour: Int
    /// The minute of the end, 0...59.
    public var endMinute: Int
    /// The name of the time zone, such as `Europe/Vienna`.
    public var timeZone: String

    /// Creates hours.
    public init(
        isOn: Bool, startHour: Int = 0, startMinute: Int = 0, endHour: Int = 0,
        endMinute: Int = 0, timeZone: String = "UTC"
    ) {
        self.isOn = isOn
        self.startHour = startHour
        self.startMinute = startMinute
        self.endHour = endHour
        self.endMinute = endMinute
        self.timeZone = timeZone
    }
}

/// Hours without notifications of each day of the week, beside the daily ones.
public struct WeeklyDoNotDisturb: Hashable, Codable, Sendable {
    /// A day of the week.
    public enum Day: String, Hashable, Codable, Sendable, CaseIterable {
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

    /// A part of a day.
    public struct Window: Hashable, Codable, Sendable {
        /// The hour of the beginning, 0...23.
        public var startHour: Int
        /// The minute of the beginning, 0...59.
        public var startMinute: Int
        /// The hour of the end, 0...23; an end before the beginning is on the next day.
        public var endHour: Int
        /// The minute of the end, 0...59.
        public var endMinute: Int

        /// Creates a part of a day.
        public init(startHour: Int, startMinute: Int = 0, endHour: Int, endMinute: Int = 0) {
            self.startHour = startHour
            self.startMinute = startMinute
            self.endHour = endHour
            self.endMinute = endMinute
        }

        /// Whether the hours and minutes are those of a clock.
        package var isOnTheClock: Bool {
            (0..<24).contains(startHour) && (0..<24).contains(endHour)
                && (0..<60).contains(startMinute) && (0..<60).contains(endMinute)
        }
    }

    /// The parts of each day.
    public var windows: [Day: [Window]]
    /// The name of the time zone, which is that of the daily hours too.
    public var timeZone: String

    /// Creates hours; without arguments, none.
    public init(windows: [Day: [Window]] = [:], timeZone: String = "UTC") {
        self.windows = windows
        self.timeZone = timeZone
    }
}

/// A period without notifications.
public struct Snooze: Hashable, Codable, Sendable {
    /// Whether the period counts.
    public var isOn: Bool
    /// The beginning.
    public var start: Timestamp
    /// The end.
    public var end: Timestamp

    /// Creates a period.
    public init(isOn: Bool, start: Timestamp, end: Timestamp) {
        self.isOn = isOn
        self.start = start
        self.end = end
    }
}
