// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

/// The flags for filters of channel lists, in one column, so that a filter needs no payload.
///
/// The bits are stored; a bit never changes its meaning.
struct ChannelFlags: OptionSet, Sendable {
    let rawValue: Int64
    static let isSuper = ChannelFlags(rawValue: 1 << 0)
    static let isPublic = ChannelFlags(rawValue: 1 << 1)
    static let isDistinct = ChannelFlags(rawValue: 1 << 2)
    static let isFrozen = ChannelFlags(rawValue: 1 << 3)
    static let isUnread = ChannelFlags(rawValue: 1 << 4)

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(of channel: GroupChannel) {
        self = []
        if channel.isSuper { insert(.isSuper) }
        if channel.isPublic { insert(.isPublic) }
        if channel.isDistinct { insert(.isDistinct) }
        if channel.isFrozen { insert(.isFrozen) }
        if channel.unreadMessageCount > 0 { insert(.isUnread) }
    }
}

extension ChannelFilter {
    /// The bits of a row to compare, and the values they must have.
    var flags: (mask: ChannelFlags, value: ChannelFlags) {
        var mask: ChannelFlags = []
        var value: ChannelFlags = []
        func want(_ flag: ChannelFlags, _ choice: Bool?) {
            guard let choice else { return }
            mask.insert(flag)
            if choice { value.insert(flag) }
        }
        want(.isSuper, kind == .super ? true : kind == .nonSuper ? false : nil)
        want(.isPublic, isPublic)
        want(.isDistinct, isDistinct)
        want(.isFrozen, includesFrozen ? nil : false)
        want(.isUnread, isUnread ? true : nil)
        return (mask, value)
    }
}
