// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

/// The messages that cause a push.
public enum PushTriggerOption: Int, Sendable {
    /// All messages.
    case all
    /// Messages that mention the user.
    case mentionOnly
    /// None.
    case off

    init(_ trigger: PushTrigger) {
        switch trigger {
        case .all, .standard: self = .all
        case .mentions: self = .mentionOnly
        case .off: self = .off
        }
    }

    var value: PushTrigger {
        switch self {
        case .all: .all
        case .mentionOnly: .mentions
        case .off: .off
        }
    }
}

extension SendbirdChat {
    /// The names of the templates of pushes.
    public enum PushTemplate {
        /// The template with the text of the message.
        public static let `default` = "default"
        /// The template without it.
        public static let alternative = "alternative"
    }

    private class func change(
        _ handler: SBErrorHandler?, _ edit: (inout PushPreferencesChange) -> Void
    ) {
        var change = PushPreferencesChange()
        edit(&change)
        door.perform(then: .done(handler)) { [change] client throws(RoostError) in
            _ = try await client.update(change)
        }
    }

    private class func read(_ handler: @escaping (PushPreferences?, SBError?) -> Void) {
        door.perform(then: .answer(handler) { $0 }) { client throws(RoostError) in
            try await client.pushPreferences()
        }
    }

    /// Sets the hours of each day without pushes.
    public class func setDoNotDisturb(
        enable: Bool, startHour: Int32, startMin: Int32, endHour: Int32, endMin: Int32,
        timezone: String, completionHandler: SBErrorHandler? = nil
    ) {
        change(completionHandler) {
            $0.doNotDisturb = DoNotDisturb(
                isOn: enable, startHour: Int(startHour), startMinute: Int(startMin),
                endHour: Int(endHour), endMinute: Int(endMin), timeZone: timezone)
        }
    }

    /// Returns the hours of each day without pushes: whether they are on, then hour and minute of
    /// start and end, and the time zone.
    public class func getDoNotDisturb(
        completionHandler: ((Bool, Int, Int, Int, Int, String, SBError?) -> Void)? = nil
    ) {
        read { preferences, error in
            let quiet = preferences?.doNotDisturb
            completionHandler?(
                quiet?.isOn ?? false, quiet?.startHour ?? 0, quiet?.startMinute ?? 0,
                quiet?.endHour ?? 0, quiet?.endMinute ?? 0, quiet?.timeZone ?? "", error)
        }
    }

    /// Sets a period without pushes, in milliseconds.
    public class func setSnoozePeriod(
        enabled: Bool, startTimestamp: Int64, endTimestamp: Int64,
        completionHandler: SBErrorHandler? = nil
    ) {
        change(completionHandler) {
            $0.snooze = Snooze(
                isOn: enabled, start: Timestamp(milliseconds: startTimestamp),
                end: Timestamp(milliseconds: endTimestamp))
        }
    }

    /// Returns the period without pushes: whether it is on, its start and its end in milliseconds.
    public class func getSnoozePeriod(
        _ completionHandler: @escaping (Bool, Int64, Int64, SBError?) -> Void
    ) {
        read { preferences, error in
            let snooze = preferences?.snooze
            completionHandler(
                snooze?.isOn ?? false, snooze?.start.milliseconds ?? 0,
                snooze?.end.milliseconds ?? 0, error)
        }
    }

    /// Sets the messages that cause a push.
    public class func setPushTriggerOption(
        _ pushTriggerOption: PushTriggerOption, completionHandler: SBErrorHandler? = nil
    ) {
        change(completionHandler) { $0.trigger = pushTriggerOption.value }
    }

    /// Returns the messages that cause a push; `.all` beside an error.
    public class func getPushTriggerOption(
        completionHandler: @escaping PushTriggerOptionHandler
    ) {
        read { preferences, error in
            completionHandler(preferences.map { PushTriggerOption($0.trigger) } ?? .all, error)
        }
    }

    /// Sets the sound of pushes.
    public class func setPushSound(_ sound: String, completionHandler: SBErrorHandler? = nil) {
        change(completionHandler) { $0.sound = sound }
    }

    /// Returns the sound of pushes.
    public class func getPushSound(completionHandler: ((String?, SBError?) -> Void)? = nil) {
        read { preferences, error in completionHandler?(preferences?.sound, error) }
    }

    /// Sets the template of pushes, one of `PushTemplate`.
    public class func setPushTemplate(name: String, completionHandler: SBErrorHandler? = nil) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.setPushTemplate(name)
        }
    }

    /// Returns the template of pushes.
    public class func getPushTemplate(
        completionHandler: ((String?, SBError?) -> Void)? = nil
    ) {
        door.perform(then: .answer(completionHandler) { $0 }) { client throws(RoostError) in
            try await client.pushTemplate()
        }
    }
}
