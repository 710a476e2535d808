// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The settings of users: invitations, counts, push notifications and devices.
struct UserSettings: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let memberships: Memberships
    let receipts: Receipts

    /// Answers a call about a user's settings.
    func answer(
        _ action: SettingAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .unreadMessages, .unreadChannels, .unreadItems, .channelCount:
            return try await counts(action, call)
        case .readEverything: return try await receipts.readEverything(call)
        case .leaveAll:
            let type = call.fields.string("custom_type")
            try await memberships.leaveAll(call.subject) { type == nil || $0.customType == type }
            return .empty
        case .getInvitation, .putInvitation:
            var record = try await existingUser(call.subject)
            if action == .putInvitation, let accepts = try call.fields.bool("auto_accept") {
                record = try await changeUser(call.subject) {
                    $0.traits.preferences["auto_accept"] = .bool(accepts)
                }
            }
            let accepts = memberships.joins(record)
            return APIResponse { writer in writer.field("auto_accept", accepts) }
        case .getCount, .putCount, .getChannelPush, .putChannelPush:
            return try await answerAboutChannel(action, call)
        case .getPush, .putPush, .resetPush: return try await answerAboutPush(action, call)
        case .addDevice, .listDevices, .listDeviceTokens, .removeDevices:
            return try await answerAboutDevices(action, call)
        case .getTemplate, .putTemplate: return try await answerAboutTemplate(action, call)
        case .deviceOwner, .forgetDevice:
            return try await answerAboutOwners(action, call)
        }
    }

    // MARK: Counts

    /// The unread messages of a user in one channel.
    private struct Unread {
        let messages: Int
        let mentions: Int
        let isInvited: Bool
    }

    private func unread(_ call: RouteCall) async throws(ServerError) -> [Unread] {
        let id = call.subject
        let types = try call.fields.list("custom_types", "custom_type")
        let mode = call.fields.string("super_mode")
        let urls = try await ask(try await storage.presentListings(of: id)).filter { listing in
            listing.hidden == .unhidden
                && (mode != "super" || listing.record.isSuper)
                && (mode != "nonsuper" || !listing.record.isSuper)
                && (types.map { $0.contains("*") || $0.contains(listing.record.customType) }
                    ?? true)
        }.map(\.record.url)
        let extras = ChannelExtras(members: false, readReceipts: false, deliveryReceipts: false)
        var found: [Unread] = []
        for start in stride(from: 0, to: urls.count, by: ChannelViews.statesAtOnce) {
            try stopIfCancelled()
            let slice = Array(urls[start...].prefix(ChannelViews.statesAtOnce))
            let states = try await ask(
                try await storage.channelStates(slice, viewer: id, withMembers: false))
            for state in states {
                let channel = state.view(for: id, extras, at: world.now())
                guard channel.countPreference != .off else { continue }
                found.append(
                    Unread(
                        messages: channel.unreadMessageCount,
                        mentions: channel.unreadMentionCount,
                        isInvited: channel.myState == .invited))
            }
        }
        return found
    }

    private func counts(
        _ action: SettingAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        _ = try await existingUser(call.subject)
        if action == .channelCount {
            let state = call.fields.string("state") ?? "all"
            let count = try await ask(try await storage.presentListings(of: call.subject)).count {
                switch state {
                case "joined_only", "joined": $0.state == .joined
                case "invited_only", "invited": $0.state == .invited
                default: $0.state != .none
                }
            }
            return APIResponse { writer in writer.field("group_channel_count", count) }
        }
        let channels = try await unread(call)
        let messages = min(channels.reduce(0) { $0 + $1.messages }, StorageRules.unreadLimit)
        switch action {
        case .unreadChannels:
            return APIResponse { writer in
                writer.field("unread_count", channels.count { $0.messages > 0 })
            }
        case .unreadItems:
            let mentions = channels.reduce(0) { $0 + $1.mentions }
            let invitations = channels.count(where: \.isInvited)
            let all = [
                "group_channel_unread_message_count": messages,
                "group_channel_unread_mention_count": mentions,
                "group_channel_invitation_count": invitations,
            ]
            let keys = try call.fields.list("item_keys") ?? all.keys.sorted()
            return APIResponse { writer in
                for key in keys { if let count = all[key] { writer.field(key, count) } }
            }
        default: return APIResponse { writer in writer.field("unread_count", messages) }
        }
    }

    // MARK: Preferences

    private func answerAboutChannel(
        _ action: SettingAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let (id, url) = (call.subject, ChannelURL(call.detail ?? ""))
        var traits = call.standing.access?.traits ?? MemberTraits()
        var count: CountPreference?
        var push: PushTrigger?
        if action == .putCount {
            count = try countPreference(call.fields.needed("count_preference"))
        }
        if action == .putChannelPush {
            let word = call.fields.string("push_trigger_option")
            let isOn = word == "false" ? false : try call.fields.bool("enable")
            push = word.flatMap { PushTrigger(rawValue: $0) } ?? (isOn == false ? .off : .all)
        }
        if count != nil || push != nil {
            let (count, push) = (count, push)
            let changed = try await ask(
                try await storage.updateMember(id, of: url, now: world.now()) { member in
                    member.traits.countPreference = count ?? member.traits.countPreference
                    member.traits.pushTrigger = push ?? member.traits.pushTrigger
                })
            traits = changed?.traits ?? traits
            let event = ChannelEvent(
                .propertiesChanged, channelURL: url, timestamp: world.now())
            await publisher.publish(.channel(event), to: [id])
        }
        let shown = traits
        return APIResponse { writer in
            if action == .getCount || action == .putCount {
                writer.field("count_preference", shown.countPreference.rawValue)
            } else {
                let option = shown.pushTrigger == .standard ? .all : shown.pushTrigger
                writer.field("push_trigger_option", option.rawValue)
                writer.field("enable", option != .off)
            }
        }
    }

    /// Returns a preference; the platform's words are accepted too (`docs/protocol` 3.4).
    private func countPreference(_ word: String) throws(ServerError) -> CountPreference {
        switch word {
        case "unread_mentioned_count_only": return .mentions
        case "false": return .off
        default:
            guard let preference = CountPreference(rawValue: word) else {
                throw ServerError(.invalidValue, "There is no count_preference \(word).")
            }
            return preference
        }
    }

    private static let pushDefaults: JSONValue = [
        "push_trigger_option": "all", "do_not_disturb": false, "start_hour": 0, "start_min": 0,
        "end_hour": 0, "end_min": 0, "timezone": "UTC", "snooze_enabled": false,
        "block_push_from_bots": false, "push_sound": "default", "enable_push_for_replies": false,
    ]

    private func answerAboutPush(
        _ action: SettingAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let defaults = Self.pushDefaults
        guard case .object(let known) = defaults else { return .empty }
        let extra = ["snooze_start_ts", "snooze_end_ts", "dnd_schedules"]
        let names = known.map(\.name) + extra
        let news = names.compactMap { name in
            call.fields.value(name).map { JSONValue.Field(name, $0) }
        }
        let record =
            if action == .getPush {
                try await existingUser(call.subject)
            } else {
                try await changeUser(call.subject) { record in
                    var push = action == .resetPush ? defaults : record.traits.push(or: defaults)
                    if action == .putPush { for field in news { push[field.name] = field.value } }
                    record.traits.preferences["push"] = push
                }
            }
        guard action != .resetPush, case .object(let fields) = record.traits.push(or: defaults)
        else { return .empty }
        return APIResponse { writer in
            for field in fields { writer.field(field.name, raw: field.value.text) }
        }
    }

    private func answerAboutTemplate(
        _ action: SettingAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        var record = try await existingUser(call.subject)
        if action == .putTemplate {
            let name = try call.fields.needed("name")
            guard ["default", "alternative"].contains(name) else {
                throw ServerError(.invalidValue, "A template is default or alternative.")
            }
            record = try await changeUser(call.subject) {
                $0.traits.preferences["push_template"] = .string(name)
            }
        }
        let name = record.traits.preferences["push_template"]?.string ?? "default"
        return APIResponse { writer in writer.field("name", name) }
    }

    // MARK: Devices

    private func answerAboutDevices(
        _ action: SettingAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let kind = call.detail
        if let kind, !["gcm", "apns", "huawei"].contains(kind) {
            throw ServerError(.invalidValue, "A device is of the type gcm, apns or huawei.")
        }
        switch action {
        case .addDevice:
            let name = kind == "gcm" ? "gcm_reg_token" : "\(kind ?? "")_device_token"
            let token = try call.fields.needed(name)
            let limits = configuration.limits
            try limits.check(name: token, "The device's token")
            let isOnly = try call.fields.bool("is_unique") ?? false
            let record = try await changeUser(call.subject) { record in
                var tokens = isOnly ? [] : record.traits.devices[kind ?? ""] ?? []
                tokens.removeAll { $0 == token }
                // A reinstalled app leaves its old token behind, so the oldest token goes.
                record.traits.devices[kind ?? ""] = (tokens + [token]).suffix(limits.devices)
            }
            return APIResponse { writer in
                writer.field("token", token)
                writer.field("type", (kind ?? "").uppercased())
                writer.name("user")
                writer.user(record.user)
            }
        case .listDevices:
            let tokens = try await existingUser(call.subject).traits.devices[kind ?? ""] ?? []
            return APIResponse { writer in
                writer.field("tokens", tokens)
                writer.field("type", (kind ?? "").uppercased())
            }
        case .listDeviceTokens:
            let tokens = try await existingUser(call.subject).traits.devices[kind ?? ""] ?? []
            return APIResponse { writer in
                writer.field("device_tokens", tokens)
                writer.field("type", (kind ?? "").uppercased())
                // All tokens of a user fit into one page.
                writer.field("token", "")
                writer.field("has_more", false)
            }
        default:
            let token = call.fields.pathParts.count > 2 ? call.fields.pathParts[2] : nil
            let record = try await changeUser(call.subject) { record in
                for (name, tokens) in record.traits.devices where kind == nil || kind == name {
                    record.traits.devices[name] = tokens.filter { token != nil && $0 != token }
                }
            }
            return APIResponse { writer in
                if let token { writer.field("token", token) }
                writer.name("user")
                writer.user(record.user)
            }
        }
    }
}

extension UserSettings {
    /// The users of one device in one answer, or in one step of its removal.
    private static let ownersAtOnce = 100

    /// Answers with the users of a device, or removes the device from all of them.
    private func answerAboutOwners(
        _ action: SettingAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        let (kind, token) = (call.fields.pathParts[0], call.fields.pathParts[1])
        guard ["gcm", "apns", "huawei"].contains(kind) else {
            throw ServerError(.invalidValue, "A device is of the type gcm, apns or huawei.")
        }
        var owners = try await deviceOwners(kind, token, after: nil)
        guard action == .forgetDevice else {
            guard let first = owners.first else {
                throw ServerError(.notFound, "There is no such device.")
            }
            let all = owners
            return APIResponse { writer in
                writer.field("user_id", first.rawValue)
                writer.field("user_ids", all.map(\.rawValue))
            }
        }
        // Each step goes on behind the last one, so a device that comes back does not hold it up.
        while let last = owners.last {
            for id in owners {
                try stopIfCancelled()
                try await ask(
                    try await storage.updateUser(id) { record in
                        record.traits.devices[kind]?.removeAll { $0 == token }
                    })
            }
            owners = try await deviceOwners(kind, token, after: last)
        }
        return .empty
    }

    private func deviceOwners(
        _ kind: String, _ token: String, after id: UserID?
    ) async throws(ServerError) -> [UserID] {
        try await ask(
            try await storage.deviceOwners(kind, token, after: id, limit: Self.ownersAtOnce))
    }
}

extension UserTraits {
    fileprivate func push(or defaults: JSONValue) -> JSONValue { preferences["push"] ?? defaults }

    /// The device tokens of a user by push service; the server sends no pushes.
    package var devices: [String: [String]] {
        get {
            guard case .object(let fields) = preferences["devices"] else { return [:] }
            var devices: [String: [String]] = [:]
            for field in fields { devices[field.name] = field.value.array?.compactMap(\.string) }
            return devices
        }
        set {
            let fields = newValue.sorted { $0.key < $1.key }.map { name, tokens in
                JSONValue.Field(name, .array(tokens.map { .string($0) }))
            }
            preferences["devices"] = .object(fields)
        }
    }
}
