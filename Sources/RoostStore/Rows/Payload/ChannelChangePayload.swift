// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel

/// The stored numbers of changes of a channel; never reused.
private enum ChangeTag: UInt8 {
    case leave = 1
    case hide = 2
    case unhide = 3
    case invite = 4
    case update = 5
    case setPushTrigger = 6
    case setCountPreference = 7
    case mute = 8
    case unmute = 9
    case pin = 10
    case unpin = 11
}

extension [UInt8] {
    mutating func append(change: ChannelChange) {
        switch change {
        case .leave: append(ChangeTag.leave.rawValue)
        case .hide(let allowsAutoUnhide):
            append(ChangeTag.hide.rawValue)
            append(allowsAutoUnhide ? 1 : 0)
        case .unhide: append(ChangeTag.unhide.rawValue)
        case .invite(let users):
            append(ChangeTag.invite.rawValue)
            append(list: users) { $0.append(text: $1.rawValue) }
        case .update(let params):
            append(ChangeTag.update.rawValue)
            append(params: params)
        case .setPushTrigger(let trigger):
            append(ChangeTag.setPushTrigger.rawValue)
            append(text: trigger.rawValue)
        case .setCountPreference(let preference):
            append(ChangeTag.setCountPreference.rawValue)
            append(text: preference.rawValue)
        case .mute(let user, let duration, let reason):
            append(ChangeTag.mute.rawValue)
            append(text: user.rawValue)
            append(optional: duration?.wholeSeconds) { $0.append(signed: Int64($1)) }
            append(text: reason)
        case .unmute(let user):
            append(ChangeTag.unmute.rawValue)
            append(text: user.rawValue)
        case .pin(let id):
            append(ChangeTag.pin.rawValue)
            append(signed: id.rawValue)
        case .unpin(let id):
            append(ChangeTag.unpin.rawValue)
            append(signed: id.rawValue)
        }
    }

    private mutating func append(params: ChannelUpdateParams) {
        for text in [
            params.name, params.coverURL, params.data, params.customType, params.accessCode,
        ] { append(optional: text) { $0.append(text: $1) } }
        for flag in [params.isPublic, params.isDiscoverable] {
            append(optional: flag) { $0.append($1 ? 1 : 0) }
        }
        append(optional: params.messageSurvivalSeconds) { $0.append(signed: Int64($1)) }
        append(optional: params.operatorIDs) { bytes, ids in
            bytes.append(list: ids) { $0.append(text: $1.rawValue) }
        }
    }
}

extension PayloadReader {
    mutating func channelChange(_ bytes: Span<UInt8>) throws(PayloadError) -> ChannelChange {
        switch ChangeTag(rawValue: try byte(bytes)) {
        case .leave: return .leave
        case .hide: return .hide(allowsAutoUnhide: try flag(bytes))
        case .unhide: return .unhide
        case .invite: return .invite(try users(bytes))
        case .update: return .update(try updateParams(bytes))
        case .setPushTrigger:
            guard let trigger = PushTrigger(rawValue: try text(bytes)) else { throw .invalid }
            return .setPushTrigger(trigger)
        case .setCountPreference:
            guard let preference = CountPreference(rawValue: try text(bytes)) else {
                throw .invalid
            }
            return .setCountPreference(preference)
        case .mute:
            let user = UserID(try text(bytes))
            let seconds = try optionalInt(bytes)
            return .mute(user, for: seconds.map { .seconds($0) }, reason: try text(bytes))
        case .unmute: return .unmute(UserID(try text(bytes)))
        case .pin: return .pin(MessageID(try signed(bytes)))
        case .unpin: return .unpin(MessageID(try signed(bytes)))
        case nil: throw .invalid
        }
    }

    private mutating func updateParams(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> ChannelUpdateParams {
        var params = ChannelUpdateParams()
        params.name = try optionalText(bytes)
        params.coverURL = try optionalText(bytes)
        params.data = try optionalText(bytes)
        params.customType = try optionalText(bytes)
        params.accessCode = try optionalText(bytes)
        params.isPublic = try optionalFlag(bytes)
        params.isDiscoverable = try optionalFlag(bytes)
        params.messageSurvivalSeconds = try optionalInt(bytes)
        params.operatorIDs = try optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.users(bytes)
        }
        return params
    }

    private mutating func users(_ bytes: Span<UInt8>) throws(PayloadError) -> [UserID] {
        try list(bytes) { reader, bytes throws(PayloadError) in UserID(try reader.text(bytes)) }
    }

    private mutating func flag(_ bytes: Span<UInt8>) throws(PayloadError) -> Bool {
        let bit = try byte(bytes)
        guard bit < 2 else { throw .invalid }
        return bit == 1
    }

    private mutating func optionalFlag(_ bytes: Span<UInt8>) throws(PayloadError) -> Bool? {
        try optional(bytes) { reader, bytes throws(PayloadError) in try reader.flag(bytes) }
    }
}
