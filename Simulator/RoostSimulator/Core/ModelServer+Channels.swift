// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire

// Entries into channels, exits from them, and members' own settings.

extension ModelServer {
    mutating func create(
        _ call: CreateChannel, _ desk: Desk, on storage: isolated MemoryStorage
    ) throws(ServerError) -> GroupChannel {
        guard let url = call.channelURL, storage.access(to: url, of: nil) == nil else {
            throw ServerError(.duplicate, "There is a channel with this URL already.")
        }
        var ids = call.userIDs
        if !ids.contains(desk.user) { ids.insert(desk.user, at: 0) }
        let record = ChannelRecord(call, url: url, by: desk.user, code: nil, at: desk.now)
        var new = NewChannel(record: record, members: ids, operators: call.operatorIDs)
        new.inviter = desk.user
        new.caller = desk.user
        guard case .done(let created) = storage.createChannel(new, now: desk.now) else {
            throw ServerError(.notAuthorized, "A user of the call cannot be invited.")
        }
        publishEntries(created.joined, to: url, inviter: desk.user, false, desk, on: storage)
        return try desk.view(url, on: storage)
    }

    mutating func add(
        _ ids: [UserID], to url: ChannelURL, inviter: UserID?, by host: UserID, _ desk: Desk,
        on storage: isolated MemoryStorage
    ) throws(ServerError) -> GroupChannel {
        let changed = storage.addMembers(
            ids, as: .joined, inviter: inviter, to: url, now: desk.now)
        publishEntries(changed, to: url, inviter: host, false, desk, on: storage)
        return try desk.view(url, on: storage)
    }

    private mutating func publishEntries(
        _ ids: [UserID], to url: ChannelURL, inviter: UserID, _ isAcceptance: Bool,
        _ desk: Desk, on storage: isolated MemoryStorage
    ) {
        guard !ids.isEmpty,
            let state = storage.channelStates([url], viewer: nil).first
        else { return }
        publish(
            state.newsOfEntries(
                of: state.members.filter { ids.contains($0.user.id) },
                to: state.members.map(\.user.id), inviter: storage.user(inviter),
                isAcceptance: isAcceptance, at: desk.now))
    }

    mutating func leave(
        _ url: ChannelURL, _ desk: Desk, on storage: isolated MemoryStorage
    ) throws(ServerError) {
        _ = try desk.admit(AccessRule(.user, in: .leaver), url, on: storage)
        guard let user = storage.user(desk.user),
            storage.removeMember(desk.user, from: url, now: desk.now)
        else { throw ServerError(.notAMember, "Only members of the channel can leave it.") }
        guard let state = storage.channelStates([url], viewer: nil).first else { return }
        publish(
            state.newsOfExit(of: user, to: state.members.map(\.user.id), at: desk.now))
    }

    mutating func hide(
        _ url: ChannelURL, _ hidesPrevious: Bool, _ returns: Bool, _ desk: Desk,
        on storage: isolated MemoryStorage
    ) throws(ServerError) -> Timestamp? {
        _ = try desk.admit(.own(.member), url, on: storage)
        let end = desk.endOfLog(of: url, on: storage)
        let changed = storage.updateMember(desk.user, of: url, now: desk.now) { member in
            member.hidden = returns ? .untilNextMessage : .untilShown
            if hidesPrevious { member.forget(through: end) }
        }
        let offset = changed?.traits.messageOffset
        let event = ChannelEvent(
            .hidden, channelURL: url, timestamp: desk.now,
            content: .hidden(hidesPrevious: hidesPrevious, allowsAutoUnhide: returns),
            messageOffset: offset)
        publish(.channel(event), to: [desk.user])
        return offset.flatMap { $0.milliseconds == 0 ? nil : $0 }
    }
}
