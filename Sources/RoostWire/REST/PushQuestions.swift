// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One page of the user's device tokens of one service (`docs/protocol` 3.4).
package struct ListPushTokens: Question {
    package var userID: UserID
    package var kind: PushTokenKind
    package var token: String?

    package init(userID: UserID, kind: PushTokenKind, token: String?) {
        self.userID = userID
        self.kind = kind
        self.token = token
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        query.add("token", token)
        return APIRequest(
            .get, ["users", userID.rawValue, "push", kind.rawValue, "device_tokens"],
            query: query.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Page<String> {
        var tokens: [String] = []
        var next = ""
        var hasMore = false
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "device_tokens": tokens = try reader.readStrings()
            case "token": next = try reader.readStringIfPresent() ?? ""
            case "has_more": hasMore = try reader.readBoolIfPresent() ?? false
            default: try reader.skipValue()
            }
        }
        return Page(tokens, next: hasMore && !next.isEmpty ? next : nil)
    }
}

/// A query for the name of the template of the user's push notifications.
package struct GetPushTemplate: Question {
    package var userID: UserID

    package init(userID: UserID) { self.userID = userID }

    package func encode() -> APIRequest {
        APIRequest(.get, ["users", userID.rawValue, "push", "template"])
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> String {
        var template = ""
        try reader.readObject { name, reader throws(WireError) in
            if name == "name" {
                template = try reader.readStringIfPresent() ?? ""
            } else {
                try reader.skipValue()
            }
        }
        return template
    }
}

/// A query or change of the user's push preferences; the answer has all of them.
package struct PushPreferencesQuestion: Question {
    package var userID: UserID
    /// The change; nil for a query.
    package var change: PushPreferencesChange?

    package init(userID: UserID, change: PushPreferencesChange? = nil) {
        self.userID = userID
        self.change = change
    }

    package func encode() -> APIRequest {
        let path = ["users", userID.rawValue, "push_preference"]
        guard let change else { return APIRequest(.get, path) }
        return APIRequest(.put, path) { writer in
            if let trigger = change.trigger {
                writer.field("push_trigger_option", trigger.rawValue)
            }
            if let hours = change.doNotDisturb {
                writer.field("do_not_disturb", hours.isOn)
                writer.field("start_hour", hours.startHour)
                writer.field("start_min", hours.startMinute)
                writer.field("end_hour", hours.endHour)
                writer.field("end_min", hours.endMinute)
                writer.field("timezone", hours.timeZone)
            }
            if let week = change.weeklyDoNotDisturb {
                writer.week(week)
                if change.doNotDisturb == nil, !week.windows.isEmpty {
                    writer.field("timezone", week.timeZone)
                }
            }
            if let snooze = change.snooze {
                writer.field("snooze_enabled", snooze.isOn)
                writer.field("snooze_start_ts", snooze.start.milliseconds)
                writer.field("snooze_end_ts", snooze.end.milliseconds)
            }
            if let sound = change.sound { writer.field("push_sound", sound) }
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> PushPreferences {
        var preferences = PushPreferences()
        var hours = DoNotDisturb(isOn: false)
        var hasHours = false
        var week: WeeklyDoNotDisturb?
        var isSnoozed: Bool?
        var start: Timestamp?
        var end: Timestamp?
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "push_trigger_option":
                let word = try reader.readStringIfPresent() ?? ""
                preferences.trigger = PushTrigger(rawValue: word) ?? .all
            case "do_not_disturb":
                hasHours = true
                hours.isOn = try reader.readBoolIfPresent() ?? false
            case "start_hour": hours.startHour = try reader.readPart(of: 24)
            case "start_min": hours.startMinute = try reader.readPart(of: 60)
            case "end_hour": hours.endHour = try reader.readPart(of: 24)
            case "end_min": hours.endMinute = try reader.readPart(of: 60)
            case "timezone": hours.timeZone = try reader.readStringIfPresent() ?? "UTC"
            case "dnd_schedules": week = try reader.readWeek()
            case "snooze_enabled": isSnoozed = try reader.readBoolIfPresent()
            case "snooze_start_ts": start = try reader.readMoment()
            case "snooze_end_ts": end = try reader.readMoment()
            case "push_sound": preferences.sound = try reader.readStringIfPresent() ?? "default"
            default: try reader.skipValue()
            }
        }
        if hasHours { preferences.doNotDisturb = hours }
        week?.timeZone = hours.timeZone
        preferences.weeklyDoNotDisturb = week
        if let isSnoozed {
            let none = Timestamp(milliseconds: 0)
            preferences.snooze = Snooze(isOn: isSnoozed, start: start ?? none, end: end ?? none)
        }
        return preferences
    }
}

extension JSONWriter {
    /// Writes the parts of all days as one list, in the order of the week.
    fileprivate mutating func week(_ week: WeeklyDoNotDisturb) {
        array("dnd_schedules") { writer in
            for day in WeeklyDoNotDisturb.Day.allCases {
                for window in week.windows[day] ?? [] {
                    writer.object { writer in
                        writer.field("day", day.rawValue)
                        writer.field("start_hour", window.startHour)
                        writer.field("start_min", window.startMinute)
                        writer.field("end_hour", window.endHour)
                        writer.field("end_min", window.endMinute)
                    }
                }
            }
        }
    }
}

extension JSONReader {
    /// Reads the parts of all days; those of unknown days are left out.
    fileprivate mutating func readWeek() throws(WireError) -> WeeklyDoNotDisturb? {
        if try readNull() { return nil }
        var week = WeeklyDoNotDisturb()
        // A platform's own tool may have stored anything here.
        guard try peek() == .array else {
            try skipValue()
            return nil
        }
        try readArray { reader throws(WireError) in
            guard try reader.peek() == .object else { return try reader.skipValue() }
            var day: WeeklyDoNotDisturb.Day?
            var window = WeeklyDoNotDisturb.Window(startHour: 0, endHour: 0)
            try reader.readObject { name, reader throws(WireError) in
                switch name {
                case "day":
                    day = try reader.readStringIfPresent().flatMap { .init(rawValue: $0) }
                case "start_hour": window.startHour = try reader.readPart(of: 24)
                case "start_min": window.startMinute = try reader.readPart(of: 60)
                case "end_hour": window.endHour = try reader.readPart(of: 24)
                case "end_min": window.endMinute = try reader.readPart(of: 60)
                default: try reader.skipValue()
                }
            }
            if let day { week.windows[day, default: []].append(window) }
        }
        return week
    }

    /// Reads an hour or a minute; a number outside the clock reads as the nearest one inside.
    fileprivate mutating func readPart(of whole: Int) throws(WireError) -> Int {
        min(try readCount() ?? 0, whole - 1)
    }
}
