// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostWire

/// A REST call without a type of its own: its path, its access rule and its action.
///
/// Calls of Roost's own clients are `APICall`s; routes serve other clients and the platform.
package struct Route: Sendable {
    package let method: APIRequest.Method
    package let pattern: PathPattern
    package let rule: AccessRule
    /// The name of a flag, and the rule of calls that set it.
    package let stricter: (flag: String, rule: AccessRule)?
    let action: Action

    init(
        _ method: APIRequest.Method, _ pattern: String, _ rule: AccessRule, _ action: Action,
        stricter: (flag: String, rule: AccessRule)? = nil
    ) {
        self.method = method
        self.pattern = PathPattern(pattern)
        self.rule = rule
        self.stricter = stricter
        self.action = action
    }

    /// Returns the route of a request, and the open segments of its path.
    static func find(_ request: APIRequest) -> (Route, [String])? {
        for route in all where route.method == request.method {
            if let parts = route.pattern.match(request.path) { return (route, parts) }
        }
        return nil
    }
}

/// The action of a route, by its owner.
enum Action: Equatable, Sendable {
    case user(UserAction)
    case setting(SettingAction)
    case channel(ChannelAction)
    case moderation(ModerationAction)
    case message(MessageAction)
    case openChannel(OpenChannelAction)
    case poll(PollAction)
    case scheduled(ScheduledAction)
    case report
    case login
    case activity(ActivityAction)
    case emoji(EmojiAction)
    case upload
}

extension Action {
    /// Whether the action is the same for open channels and group channels.
    fileprivate var isOfBothKinds: Bool {
        switch self {
        case .moderation: true
        case .channel(let action):
            switch action {
            case .freeze, .addMetadata, .putMetadata, .getMetadata, .deleteMetadata, .addCounters,
                .putCounters, .getCounters, .deleteCounters:
                true
            default: false
            }
        case .message(let action):
            switch action {
            case .count, .react, .unreact, .reactions, .addMetaArrays, .putMetaArrays,
                .removeMetaArrays, .threadPush:
                true
            default: false
            }
        default: false
        }
    }
}

enum UserAction: Equatable, Sendable {
    case get, update, delete, issueToken, revokeTokens
    case putMetadata, addMetadata, getMetadata, deleteMetadata
    case listBlocked, block, unblock
}

enum SettingAction: Equatable, Sendable {
    case unreadMessages, unreadChannels, unreadItems, channelCount, readEverything, leaveAll
    case getInvitation, putInvitation, getCount, putCount, getChannelPush, putChannelPush
    case getPush, putPush, resetPush, getTemplate, putTemplate
    case addDevice, listDevices, listDeviceTokens, removeDevices, deviceOwner, forgetDevice
}

enum ChannelAction: Equatable, Sendable {
    case list, delete, decline, hide, unhide, freeze, resetHistory, members, isMember
    case addMetadata, putMetadata, getMetadata, deleteMetadata
    case addCounters, putCounters, getCounters, deleteCounters
    case startTyping, stopTyping, purgeOffset, screenshot
}

enum ActivityAction: Equatable, Sendable {
    case daily, monthly
}

enum EmojiAction: Equatable, Sendable {
    case categories, category, emoji
}

enum ModerationAction: Equatable, Sendable {
    case operators, addOperators, removeOperators
    case ban, unban, banned, mute, unmute, muted, getMute
}

enum MessageAction: Equatable, Sendable {
    case count, react, unreact, reactions, addMetaArrays, putMetaArrays, removeMetaArrays
    case pin, unpin, delivered, search, fingerprints, unreadCounts, threadPush
    case migrate
}

extension Route {
    /// All routes, by priority: the first match wins, so fixed segments precede open ones.
    package static let all: [Route] =
        users + settings + channels + moderation + messages + openChannels + documents

    private static let openChannels: [Route] =
        [
            Route(.get, "open_channels", .user, .openChannel(.list)),
            Route(.post, "open_channels", .user, .openChannel(.create)),
            Route(.get, "open_channels/*", .reader, .openChannel(.get)),
            Route(.get, "sdk/open_channels/*", .reader, .openChannel(.get)),
            Route(.put, "open_channels/*", .operator, .openChannel(.update)),
            Route(.delete, "open_channels/*", .operator, .openChannel(.delete)),
            Route(.get, "open_channels/*/participants", .reader, .openChannel(.participants)),
        ]
        // The routes that differ between the kinds of channels in their first segment only.
        + (channels + moderation + messages).filter(\.action.isOfBothKinds).map { route in
            let rest = route.pattern.text.split(separator: "/").dropFirst().joined(separator: "/")
            return Route(route.method, "open_channels/" + rest, route.rule, route.action)
        }

    private static let documents: [Route] = [
        Route(.post, "report/group_channels/*", .report(), .report),
        Route(.post, "report/group_channels/*/messages/*", .report(on: .message), .report),
        Route(.post, "report/open_channels/*", .report(), .report),
        Route(.post, "report/open_channels/*/messages/*", .report(on: .message), .report),
        Route(.post, "report/users/*", .report(), .report),
        Route(.get, "report", .platform, .report),
        Route(.get, "applications/dau", .platform, .activity(.daily)),
        Route(.get, "applications/mau", .platform, .activity(.monthly)),
        Route(.post, "polls", AccessRule(.user, as: .named), .poll(.create)),
        Route(.get, "polls", .user, .poll(.list)),
        Route(.get, "polls/*", .poll, .poll(.get)),
        Route(.put, "polls/*", .speech(in: .reader, on: .ownPoll), .poll(.update)),
        Route(.delete, "polls/*", .speech(in: .reader, on: .ownPoll), .poll(.delete)),
        Route(.put, "polls/*/close", .speech(in: .reader, on: .ownPoll), .poll(.close)),
        Route(.put, "polls/*/vote", .vote, .poll(.vote)),
        Route(
            .post, "polls/*/options", .speech(in: .participant, as: .named, on: .suggestingPoll),
            .poll(.addOption)),
        Route(
            .get, "polls/*/options/*", .poll, .poll(.getOption)),
        Route(.put, "polls/*/options/*", .speech(in: .reader, on: .ownPoll), .poll(.updateOption)),
        Route(
            .delete, "polls/*/options/*", .speech(in: .reader, on: .ownPoll), .poll(.deleteOption)),
        Route(
            .get, "polls/*/options/*/voters", .poll,
            .poll(.voters)),
        Route(.get, "group_channels/*/polls/changelogs", .reader, .poll(.changes)),
        Route(.get, "open_channels/*/polls/changelogs", .reader, .poll(.changes)),
        Route(
            .post, "group_channels/*/scheduled_messages",
            AccessRule(.user, as: .named, in: .member), .scheduled(.create)),
        Route(
            .get, "group_channels/*/scheduled_messages/*",
            AccessRule(.user, in: .member, on: .scheduled), .scheduled(.get)),
        Route(
            .put, "group_channels/*/scheduled_messages/*",
            AccessRule(.user, in: .member, on: .scheduled), .scheduled(.update)),
        Route(
            .delete, "group_channels/*/scheduled_messages/*",
            AccessRule(.user, in: .member, on: .scheduled), .scheduled(.cancel)),
        Route(
            .post, "group_channels/*/scheduled_messages/*/send_now",
            AccessRule(.user, in: .member, on: .scheduled), .scheduled(.send)),
        Route(.get, "scheduled_messages/count", .user, .scheduled(.count)),
        Route(.get, "scheduled_messages", .user, .scheduled(.list)),
    ]

    private static let users: [Route] = [
        Route(.get, "users/*", .user, .user(.get)),
        Route(.put, "users/*", .oneself, .user(.update)),
        Route(.delete, "users/*", .platform, .user(.delete)),
        // The session key is the answer.
        Route(.post, "users/*/login", .anybody, .login),
        Route(.post, "users/*/authentication", .anybody, .login),
        Route(.post, "users/*/token", .platform, .user(.issueToken)),
        Route(.delete, "users/*/token", .platform, .user(.revokeTokens)),
        Route(.post, "users/*/metadata", .oneself, .user(.addMetadata)),
        Route(.put, "users/*/metadata", .oneself, .user(.putMetadata)),
        Route(.put, "users/*/metadata/*", .oneself, .user(.putMetadata)),
        Route(.get, "users/*/metadata", .user, .user(.getMetadata)),
        Route(.get, "users/*/metadata/*", .user, .user(.getMetadata)),
        Route(.delete, "users/*/metadata", .oneself, .user(.deleteMetadata)),
        Route(.delete, "users/*/metadata/*", .oneself, .user(.deleteMetadata)),
        Route(.get, "users/*/block", .oneself, .user(.listBlocked)),
        Route(.post, "users/*/block", .oneself, .user(.block)),
        Route(.delete, "users/*/block/*", .oneself, .user(.unblock)),
    ]

    private static let settings: [Route] = [
        Route(.get, "users/*/unread_message_count", .oneself, .setting(.unreadMessages)),
        Route(.get, "users/*/unread_channel_count", .oneself, .setting(.unreadChannels)),
        Route(.get, "users/*/unread_item_count", .oneself, .setting(.unreadItems)),
        Route(.get, "users/*/group_channel_count", .oneself, .setting(.channelCount)),
        Route(.put, "users/*/mark_as_read_all", .oneself, .setting(.readEverything)),
        Route(.put, "users/*/my_group_channels/leave", .oneself, .setting(.leaveAll)),
        Route(
            .get, "users/*/channel_invitation_preference", .oneself, .setting(.getInvitation)),
        Route(
            .put, "users/*/channel_invitation_preference", .oneself, .setting(.putInvitation)),
        Route(.get, "users/*/count_preference/*", .setting, .setting(.getCount)),
        Route(.put, "users/*/count_preference/*", .setting, .setting(.putCount)),
        Route(.get, "users/*/push_preference/*", .setting, .setting(.getChannelPush)),
        Route(.put, "users/*/push_preference/*", .setting, .setting(.putChannelPush)),
        Route(.get, "users/*/push_preference", .oneself, .setting(.getPush)),
        Route(.put, "users/*/push_preference", .oneself, .setting(.putPush)),
        Route(.delete, "users/*/push_preference", .oneself, .setting(.resetPush)),
        Route(.get, "users/*/push/template", .oneself, .setting(.getTemplate)),
        Route(.put, "users/*/push/template", .oneself, .setting(.putTemplate)),
        Route(.get, "users/*/push/*/device_tokens", .oneself, .setting(.listDeviceTokens)),
        Route(.post, "users/*/push/*", .oneself, .setting(.addDevice)),
        Route(.get, "users/*/push/*", .oneself, .setting(.listDevices)),
        Route(.delete, "users/*/push/*/*", .oneself, .setting(.removeDevices)),
        Route(.delete, "users/*/push/*", .oneself, .setting(.removeDevices)),
        Route(.delete, "users/*/push", .oneself, .setting(.removeDevices)),
        Route(.get, "push/device_tokens/*/*", .platform, .setting(.deviceOwner)),
        Route(.delete, "push/device_tokens/*/*", .platform, .setting(.forgetDevice)),
    ]

    private static let channels: [Route] = [
        Route(.get, "group_channels", .user, .channel(.list)),
        Route(.delete, "group_channels/*", .operator, .channel(.delete)),
        Route(.put, "group_channels/*/decline", .own(.invited), .channel(.decline)),
        Route(.put, "group_channels/*/hide", .own(.member), .channel(.hide)),
        Route(.delete, "group_channels/*/hide", .own(.member), .channel(.unhide)),
        Route(.put, "group_channels/*/freeze", .operator, .channel(.freeze)),
        Route(
            .put, "group_channels/*/reset_user_history", .own(.member), .channel(.resetHistory),
            stricter: (flag: "reset_all", rule: .operator)),
        Route(.get, "group_channels/*/members", .member, .channel(.members)),
        Route(.get, "group_channels/*/members/*", .member, .channel(.isMember)),
        Route(
            .post, "group_channels/*/metadata", .speech(in: .participant), .channel(.addMetadata)),
        Route(.put, "group_channels/*/metadata", .speech(in: .participant), .channel(.putMetadata)),
        Route(.get, "group_channels/*/metadata", .reader, .channel(.getMetadata)),
        Route(
            .delete, "group_channels/*/metadata", .speech(in: .caretaker), .channel(.deleteMetadata)
        ),
        Route(
            .delete, "group_channels/*/metadata/*", .speech(in: .caretaker),
            .channel(.deleteMetadata)),
        Route(
            .post, "group_channels/*/metacounter", .speech(in: .participant), .channel(.addCounters)
        ),
        Route(
            .put, "group_channels/*/metacounter", .speech(in: .participant), .channel(.putCounters)),
        Route(.get, "group_channels/*/metacounter", .reader, .channel(.getCounters)),
        Route(
            .delete, "group_channels/*/metacounter", .speech(in: .caretaker),
            .channel(.deleteCounters)),
        Route(
            .delete, "group_channels/*/metacounter/*", .speech(in: .caretaker),
            .channel(.deleteCounters)),
        Route(
            .post, "group_channels/*/typing", AccessRule(.platform, in: .member),
            .channel(.startTyping)),
        Route(
            .delete, "group_channels/*/typing", AccessRule(.platform, in: .member),
            .channel(.stopTyping)),
        Route(.get, "group_channels/*/message_purge_offset", .member, .channel(.purgeOffset)),
        Route(
            .post, "group_channels/*/screenshot", AccessRule(.user, as: .named, in: .member),
            .channel(.screenshot)),
    ]

    private static let moderation: [Route] = [
        Route(.get, "group_channels/*/operators", .reader, .moderation(.operators)),
        Route(.post, "group_channels/*/operators", .operator, .moderation(.addOperators)),
        Route(
            .delete, "group_channels/*/operators", .operator,
            .moderation(.removeOperators)),
        Route(.get, "group_channels/*/ban", .operator, .moderation(.banned)),
        Route(.post, "group_channels/*/ban", .operator, .moderation(.ban)),
        Route(.delete, "group_channels/*/ban/*", .operator, .moderation(.unban)),
        Route(.get, "group_channels/*/mute", .operator, .moderation(.muted)),
        Route(.post, "group_channels/*/mute", .operator, .moderation(.mute)),
        Route(.get, "group_channels/*/mute/*", .reader, .moderation(.getMute)),
        Route(.delete, "group_channels/*/mute/*", .operator, .moderation(.unmute)),
    ]

    private static let messages: [Route] = [
        Route(.get, "group_channels/*/messages/total_count", .reader, .message(.count)),
        Route(
            .get, "group_channels/*/messages/fingerprints", .reader, .message(.fingerprints)),
        Route(
            .get, "group_channels/*/messages/unread_count", .platform, .message(.unreadCounts)),
        Route(
            .put, "group_channels/*/messages/mark_as_delivered", .own(.member), .message(.delivered)
        ),
        Route(
            .get, "group_channels/*/messages/*/reactions",
            AccessRule(.user, in: .reader, on: .message), .message(.reactions)),
        Route(.post, "group_channels/*/messages/*/reactions", .reaction, .message(.react)),
        Route(.delete, "group_channels/*/messages/*/reactions", .reaction, .message(.unreact)),
        Route(
            .post, "group_channels/*/messages/*/sorted_metaarray", .edit,
            .message(.addMetaArrays)),
        Route(
            .put, "group_channels/*/messages/*/sorted_metaarray", .edit,
            .message(.putMetaArrays)),
        Route(
            .delete, "group_channels/*/messages/*/sorted_metaarray", .edit,
            .message(.removeMetaArrays)),
        Route(
            .post, "group_channels/*/messages/*/pin", .speech(in: .member, on: .message),
            .message(.pin)),
        Route(
            .delete, "group_channels/*/messages/*/pin", .speech(in: .member, on: .message),
            .message(.unpin)),
        Route(
            .put, "group_channels/*/messages/*/thread_push",
            AccessRule(.user, in: .reader, on: .message), .message(.threadPush)),
        Route(
            .post, "migration/*", AccessRule(.platform, in: .reader, .inLane), .message(.migrate)),
        Route(.get, "search/messages", .user, .message(.search)),
        Route(.get, "emoji_categories", .user, .emoji(.categories)),
        Route(.get, "emoji_categories/*", .user, .emoji(.category)),
        Route(.get, "emojis/*", .user, .emoji(.emoji)),
        // The channel of an upload is optional.
        Route(.post, "storage/file", .reader, .upload),
    ]
}
