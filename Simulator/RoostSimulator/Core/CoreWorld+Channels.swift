// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// Changes of channels and drafts on a device, and the checks of these and of the changes of messages.

/// A change of a channel that the app asked for.
struct RequestedChange {
    let channel: ChannelURL
    let change: ChannelChange
    /// Nil until the call returns.
    var requestID: RequestID?
}

/// An edit or a deletion of a delivered message that the app asked for.
struct RequestedMessageChange {
    let channel: ChannelURL
    let message: MessageID
    /// Unlike that of any other edit; nil for a deletion.
    let text: String?
    /// Nil until the call returns.
    var requestID: RequestID?

    init?(_ action: PendingChange.Action, in channel: ChannelURL) {
        guard case .delivered(let message)? = action.target else { return nil }
        switch action {
        case .edit(_, let edit):
            guard let text = edit.text else { return nil }
            self.text = text
        case .delete: text = nil
        case .addReaction, .removeReaction, .markAsRead, .channel: return nil
        }
        self.channel = channel
        self.message = message
    }
}

/// The changes that the server has made or answered as made before, whoever asked.
struct MadeChanges {
    private var names: Set<String> = []
    private var departures: Set<String> = []
    private var texts: Set<String> = []

    /// Notes the text of a message behind a command.
    mutating func note(text: String) { texts.insert(text) }

    func has(text: String) -> Bool { texts.contains(text) }

    /// Notes an answer of the server.
    mutating func note(
        _ question: ServerQuestion, by user: UserID, _ answer: Answered<ServerAnswer>
    ) {
        switch question {
        case .update(let call):
            if case .success = answer, let name = call.name { names.insert(name) }
        case .leave(let call): departures.insert("\(user) \(call.channelURL)")
        default: break
        }
    }

    /// Whether the server knows of a change; nil for a change that leaves no trace of its own.
    func has(_ change: ChannelChange, in channel: ChannelURL, by user: UserID) -> Bool? {
        switch change {
        case .update(let params): params.name.map { names.contains($0) }
        case .leave: departures.contains("\(user) \(channel)")
        default: nil
        }
    }
}

extension CoreWorld {
    /// Returns a change of a channel other than a departure.
    func randomChange() -> ChannelChange {
        if mix.has(.muteMember), random.pick(6) == 0 {
            return random.mute(of: user(random.pick(shape.users)))
        }
        switch random.pick(7) {
        case 0: return .hide(allowsAutoUnhide: true)
        case 1: return .hide(allowsAutoUnhide: false)
        case 2, 3: return .unhide
        case 4:
            return .invite((0..<shape.users).filter { _ in random.pick(2) == 0 }.map(self.user))
        default: return .update(ChannelUpdateParams(name: "own name \(number())"))
        }
    }

    func changeChannel(_ change: ChannelChange, _ device: CoreDevice) {
        let channel = someChannel()
        device.changes.append(RequestedChange(channel: channel, change: change))
        call(
            "\(change) of \(channel)",
            .outbox(.changing(OutboxChanging(.channel(change), in: channel))), device,
            then: .changed(index: device.changes.count - 1), atMost: .max)
    }

    func saveDraft(_ device: CoreDevice) {
        // One call at a time, so that the last text is known.
        guard !device.isDrafting else { return }
        device.isDrafting = true
        let thread: MessageID? = random.pick(2) == 0 ? MessageID(1) : nil
        let place = DraftPlace(someChannel(), thread: thread)
        let text = random.pick(4) == 0 ? "" : "draft \(number())"
        // Either text may be on disk until the call returns.
        device.drafts[place, default: [""]].insert(text)
        let drafting = OutboxDrafting(DraftContent(text, in: thread), in: place.channel)
        call(
            "draft “\(text)” in \(place.channel)", .outbox(.drafting(drafting)), device,
            then: .drafted(place, text), atMost: .max)
    }

    /// Checks that each change whose call returned is made, replaced by a later one, or kept with
    /// the server's refusal.
    func checkChanges(of device: CoreDevice) throws(Violation) {
        for (index, asked) in device.changes.enumerated() {
            guard let id = asked.requestID, device.state.outbox.order[id] == nil else { continue }
            let isReplaced = device.changes[(index + 1)...].contains {
                $0.channel == asked.channel && $0.change.replaces(asked.change)
            }
            guard !isReplaced else { continue }
            let isMade = made.has(asked.change, in: asked.channel, by: device.user)
            try expect(
                isMade ?? true,
                "\(device.name) lost \(asked.change) of \(asked.channel), which is neither made nor "
                    + "refused")
        }
    }

    /// Checks that each edit and deletion whose call returned is made, overtaken by a later one or by
    /// the deletion of its message, or kept with the server's refusal.
    ///
    /// A message that the user has cleared does not exist for this user: its deletion counts as made.
    func checkMessageChanges(
        of device: CoreDevice, on storage: isolated MemoryStorage
    ) throws(Violation) {
        for (index, asked) in device.messageChanges.enumerated() {
            guard let id = asked.requestID, device.state.outbox.order[id] == nil,
                let message = storage.message(asked.message, in: asked.channel),
                storage.messageOffset(of: device.user, in: asked.channel)
                    .map({ message.createdAt > $0 }) ?? true
            else { continue }
            let isOvertaken = device.messageChanges[(index + 1)...].contains {
                $0.message == asked.message && $0.channel == asked.channel
            }
            guard !isOvertaken else { continue }
            try expect(
                asked.text.map { made.has(text: $0) } ?? false,
                "\(device.name) lost \(asked.text.map { "the edit “\($0)”" } ?? "the deletion") of "
                    + "\(asked.message) in \(asked.channel), which is neither made nor refused")
        }
    }

    /// Checks that drafts outlive everything but the end of the membership.
    func checkDrafts(of device: CoreDevice) throws(Violation) {
        for (place, texts) in device.drafts {
            let text = device.state.outbox.draft(at: place)?.text ?? ""
            try expect(
                texts.contains(text)
                    || text.isEmpty
                        && made.has(.leave, in: place.channel, by: device.user) == true,
                "\(device.name) has the draft “\(text)” in \(place.channel) instead of "
                    + "\(texts.sorted())")
        }
    }
}
