// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer

// The writes of users on devices, which go through the outbox.

extension CoreWorld {
    func write(_ action: Action, _ device: CoreDevice) {
        switch action {
        case .send: send(1, device, to: someChannel())
        case .sendSeveral: send(2 + random.pick(3), device, to: someChannel())
        case .reply:
            guard let (channel, message) = someShown(device, where: { $0.parentID == nil }),
                let parent = message.messageID
            else { return }
            send(1, device, to: channel, answering: parent)
        case .edit:
            guard let (channel, message) = someOwn(device), let id = message.messageID else {
                return
            }
            let edit = MessageEdit(text: "edit \(number())")
            change(.edit(.delivered(id), edit), in: channel, device)
        case .delete:
            guard let (channel, message) = someOwn(device), let id = message.messageID else {
                return
            }
            change(.delete(.delivered(id)), in: channel, device)
        case .resend, .cancel:
            guard
                let (_, message) = someShown(device, where: { $0.status == .failed }),
                let id = message.requestID
            else { return }
            if action == .resend {
                noteResend(of: id, device)
                call("resend \(id)", .outbox(.resending(OutboxResending(id))), device)
            } else {
                noteDoubt(of: id, device)
                call("cancel \(id)", .outbox(.canceling(OutboxCanceling(id))), device)
            }
        case .sendFile: sendFile(device)
        case .addReaction:
            guard let (channel, message) = someShown(device, where: { $0.messageID != nil }),
                let id = message.messageID
            else { return }
            let target = MessageTarget.delivered(id)
            change(
                random.pick(3) > 0 ? .addReaction("ok", target) : .removeReaction("ok", target),
                in: channel, device)
        case .editUnsent:
            guard let (channel, message) = someShown(device, where: { $0.messageID == nil }),
                let id = message.requestID
            else { return }
            let edit = MessageEdit(text: "edit unsent \(number())")
            change(.edit(.unsent(id), edit), in: channel, device)
        case .deleteUnsent:
            guard let (channel, message) = someShown(device, where: { $0.messageID == nil }),
                let id = message.requestID
            else { return }
            noteDoubt(of: id, device)
            change(.delete(.unsent(id)), in: channel, device)
        case .markRead:
            guard let (channel, message) = someShown(device, where: { $0.messageID != nil })
            else { return }
            change(.markAsRead(through: message.createdAt), in: channel, device)
        case .changeChannel: changeChannel(randomChange(), device)
        case .leaveHere:
            for device in devices { device.noteLoss() }
            changeChannel(.leave, device)
        case .draft: saveDraft(device)
        default: preconditionFailure("\(action) is no writing.")
        }
    }

    private func change(
        _ action: PendingChange.Action, in channel: ChannelURL, _ device: CoreDevice
    ) {
        var completion = CoreDevice.Completion.none
        if let asked = RequestedMessageChange(action, in: channel) {
            device.messageChanges.append(asked)
            completion = .changedMessage(index: device.messageChanges.count - 1)
        }
        call(
            "\(action) in \(channel)",
            .outbox(.changing(OutboxChanging(action, in: channel))), device, then: completion)
    }

    private func send(
        _ count: Int, _ device: CoreDevice, to channel: ChannelURL,
        answering parent: MessageID? = nil
    ) {
        // One call at a time, so that the order of calls is known.
        guard !device.isSending else { return }
        device.isSending = true
        let (kind, isShown) = (random.customType(), random.pick(2) == 0)
        let messages = (1...count).map { index in
            let text = "\(device.name) \(device.sendCount + index)"
            return UserMessageParams(
                text: text, data: text, customType: kind, parentID: parent,
                isReplyToChannel: parent != nil && isShown)
        }
        device.sendCount += count
        send(messages, device, to: channel)
    }

    private func send(
        _ messages: [UserMessageParams], _ device: CoreDevice, to channel: ChannelURL
    ) {
        guard let first = messages.first else {
            device.isSending = false
            return
        }
        let sending = OutboxSending(.userMessage(first), to: channel, as: nil)
        call(
            "send “\(first.text)” to \(channel)", .outbox(.sending(sending)), device,
            then: .sent(channel, rest: Array(messages.dropFirst())), atMost: .max)
    }

    private func sendFile(_ device: CoreDevice) {
        guard !device.isSending else { return }
        device.isSending = true
        device.sendCount += 1
        let channel = someChannel()
        let text = "\(device.name) \(device.sendCount)"
        let file = OutgoingFile(
            .bytes(Array(text.utf8)), name: "\(number()).txt", type: "text/plain")
        let params = FileMessageParams(files: [file], caption: text, data: text)
        let sending = OutboxSending(
            .fileMessage(params, copies: [nil]), to: channel, as: nil)
        call(
            "send the file “\(text)” to \(channel)", .outbox(.sending(sending)), device,
            then: .sent(channel, rest: []), atMost: .max)
    }

    /// Continues what a call was made for.
    func complete(
        _ completion: CoreDevice.Completion, _ outcome: Outcome, _ device: CoreDevice
    ) {
        switch completion {
        case .none: break
        case .sent(let channel, let rest):
            if case .item(let item) = outcome {
                device.sent.append(SentMessage(channel: channel, requestID: item.requestID))
            }
            send(rest, device, to: channel)
        case .changed(let index):
            if case .request(let id) = outcome { device.changes[index].requestID = id }
        case .changedMessage(let index):
            if case .request(let id) = outcome { device.messageChanges[index].requestID = id }
        case .drafted(let place, let text):
            device.isDrafting = false
            if case .done = outcome { device.drafts[place] = [text] }
        case .openedTimeline(let id):
            guard case .done = outcome, let open = device.state.timelines[id] else { return }
            device.timelines[id] = CoreDevice.Watch(changes: Fold(open.messages))
        case .jumped(let id):
            if case .done = outcome { return }
            device.timelines[id]?.isInPlace = false
        case .started(let connects):
            device.isOpen = true
            if connects { connect(device) }
        case .openedList(let id):
            guard case .done = outcome, let open = device.state.lists[id] else { return }
            device.lists[id] = CoreDevice.Watch(changes: Fold(open.list.channels))
        }
    }

    /// Notes that a failed message may arrive behind later ones.
    func noteResend(of id: RequestID, _ device: CoreDevice) {
        guard let index = device.sent.firstIndex(where: { $0.requestID == id }) else { return }
        device.sent[index].wasResent = true
    }

    /// Notes that a message may arrive late or never, because of a call about it.
    func noteDoubt(of id: RequestID, _ device: CoreDevice) {
        guard let index = device.sent.firstIndex(where: { $0.requestID == id }) else { return }
        device.sent[index].wasResent = true
        device.sent[index].wasCanceled = true
    }
}
