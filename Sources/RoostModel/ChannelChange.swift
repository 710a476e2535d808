// SPDX-License-Identifier: Apache-2.0

/// A change of a channel, or of the user's own settings in it, that can wait in the outbox.
public enum ChannelChange: Hashable, Codable, Sendable {
    /// The user leaves the channel, after everything else that waits in it.
    case leave
    /// Hides the channel from the user's lists.
    case hide(allowsAutoUnhide: Bool)
    /// Shows a hidden channel again.
    case unhide
    /// Invites users.
    case invite([UserID])
    /// Changes the properties that are not nil.
    case update(ChannelUpdateParams)
    /// Sets the messages that the user is notified of.
    case setPushTrigger(PushTrigger)
    /// Sets the messages that count towards the unread totals.
    case setCountPreference(CountPreference)
    /// Mutes a member; the time begins when the server has the change, and nil has no end.
    case mute(UserID, for: Duration?, reason: String)
    /// Ends the mute of a member.
    case unmute(UserID)
    /// Pins a message for all members.
    case pin(MessageID)
    /// Unpins a message for all members.
    case unpin(MessageID)
}

extension ChannelChange {
    /// The kind of change in one word.
    package var kind: String {
        switch self {
        case .leave: "leave"
        case .hide: "hide"
        case .unhide: "unhide"
        case .invite: "invitation"
        case .update: "channel edit"
        case .setPushTrigger: "push trigger"
        case .setCountPreference: "count preference"
        case .mute: "mute"
        case .unmute: "unmute"
        case .pin: "pin"
        case .unpin: "unpin"
        }
    }

    /// Whether this change, made after an older one, leaves nothing of the older one.
    ///
    /// An older edit is replaced if this one sets all of its properties.
    package func replaces(_ older: ChannelChange) -> Bool {
        switch (self, older) {
        case (.hide, .hide), (.hide, .unhide), (.unhide, .hide), (.unhide, .unhide),
            (.setPushTrigger, .setPushTrigger), (.setCountPreference, .setCountPreference):
            true
        case (.update(let new), .update(let old)): new.merged(over: old) == new
        case (.mute(let new, _, _), .mute(let old, _, _)), (.mute(let new, _, _), .unmute(let old)),
            (.unmute(let new), .mute(let old, _, _)), (.unmute(let new), .unmute(let old)):
            new == old
        case (.pin(let new), .pin(let old)), (.pin(let new), .unpin(let old)),
            (.unpin(let new), .pin(let old)), (.unpin(let new), .unpin(let old)):
            new == old
        default: false
        }
    }
}

extension ChannelUpdateParams {
    /// Returns these values, and the older ones of the properties that are nil.
    fileprivate func merged(over old: ChannelUpdateParams) -> ChannelUpdateParams {
        var params = self
        params.name = name ?? old.name
        params.coverURL = coverURL ?? old.coverURL
        params.data = data ?? old.data
        params.customType = customType ?? old.customType
        params.isPublic = isPublic ?? old.isPublic
        params.isDiscoverable = isDiscoverable ?? old.isDiscoverable
        params.accessCode = accessCode ?? old.accessCode
        params.messageSurvivalSeconds = messageSurvivalSeconds ?? old.messageSurvivalSeconds
        params.operatorIDs = operatorIDs ?? old.operatorIDs
        return params
    }
}

extension GroupChannel {
    mutating func apply(_ change: ChannelChange) {
        switch change {
        case .leave: myState = .none
        case .hide(let allowsAutoUnhide):
            hiddenState = allowsAutoUnhide ? .untilNextMessage : .untilShown
        case .unhide: hiddenState = .unhidden
        // The device does not know the users' profiles.
        case .invite: break
        case .update(let params):
            name = params.name ?? name
            coverURL = params.coverURL ?? coverURL
            data = params.data ?? data
            customType = params.customType ?? customType
            isPublic = params.isPublic ?? isPublic
            isDiscoverable = params.isDiscoverable ?? isDiscoverable
            if let code = params.accessCode { needsAccessCode = !code.isEmpty }
            if let seconds = params.messageSurvivalSeconds {
                messageSurvivalSeconds = seconds < 0 ? nil : seconds
            }
        case .setPushTrigger(let trigger): pushTrigger = trigger
        case .setCountPreference(let preference): countPreference = preference
        case .mute(let user, _, _): setMuted(true, user)
        case .unmute(let user): setMuted(false, user)
        case .pin(let id):
            pinnedMessageIDs.removeAll { $0 == id }
            pinnedMessageIDs.insert(id, at: 0)
        case .unpin(let id): pinnedMessageIDs.removeAll { $0 == id }
        }
    }

    private mutating func setMuted(_ isMuted: Bool, _ user: UserID) {
        guard let index = members.firstIndex(where: { $0.user.id == user }) else { return }
        members[index].isMuted = isMuted
    }
}
