// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// Actions of the same users on devices outside the world: at once and without faults.

extension CoreWorld {
    func performElsewhere(
        _ action: Action, in place: ChannelURL? = nil, by somebody: UserID? = nil,
        on storage: isolated MemoryStorage
    ) {
        let user = somebody ?? user(random.pick(shape.users))
        let channel = place ?? channels[random.pick(channels.count)]
        if action.mayHideMessages { for device in devices { device.noteLoss() } }
        switch action {
        case .sendElsewhere: sendElsewhere(1 + random.pick(3), to: channel, by: user, on: storage)
        case .replyElsewhere:
            guard let parent = someMessage(in: channel, by: nil, on: storage) else { return }
            sendElsewhere(1 + random.pick(2), to: channel, by: user, answering: parent, on: storage)
        case .burst:
            // Around the border between a silent fill and a huge gap (R113).
            let isHuge = random.next() % 4 == 0
            sendElsewhere(
                (isHuge ? 290 : 10) + random.pick(30), to: channel, by: user, on: storage)
        case .editElsewhere:
            guard let id = someMessage(in: channel, by: user, on: storage) else { return }
            let edit = EditCommand(
                channelURL: channel, messageID: id, requestID: nil, text: "edit \(number())",
                customType: random.pick(3) == 0 ? random.customType() : nil)
            note("elsewhere \(user): \(edit)")
            server.take(.edit(edit), from: 0, as: user, on: storage, at: serverTime)
            deliver()
        case .deleteElsewhere:
            guard let id = someMessage(in: channel, by: user, on: storage) else { return }
            ask(.delete(DeleteMessage(channelURL: channel, messageID: id)), user, on: storage)
        case .readElsewhere:
            ask(.markAsRead(MarkAsRead(channelURL: channel)), user, on: storage)
        case .leave: ask(.leave(LeaveChannel(channelURL: channel)), user, on: storage)
        case .join:
            // A member lets the others in again.
            for inviter in (0..<shape.users).map(self.user) {
                ask(
                    .invite(InviteMembers(channelURL: channel, userIDs: [user])), inviter,
                    on: storage)
            }
        case .rename:
            ask(
                .update(UpdateChannel(channelURL: channel, name: "name \(number())")), user,
                on: storage)
        case .react:
            guard let id = someMessage(in: channel, by: nil, on: storage) else { return }
            // Few emojis, so that they are removed as often as added.
            ask(
                .react(
                    ReactToMessage(
                        channelURL: channel, messageID: id, key: random.pick(2) == 0 ? "0" : "ok",
                        isAdded: random.next() % 3 > 0)),
                user, on: storage)
        case .hide:
            ask(
                .moment(
                    .hide(
                        channel, hidesPrevious: random.next() % 3 == 0,
                        allowsAutoUnhide: random.next() % 2 == 0)), user, on: storage)
        case .show: ask(.request(.unhide(channel)), user, on: storage)
        case .resetHistory:
            ask(.moment(.resetHistory(channel, ofEverybody: false)), user, on: storage)
        case .muteMember:
            let request = random.muteRequest(
                of: self.user(random.pick(shape.users)), in: channel)
            // Only an operator's request succeeds.
            for actor in (0..<shape.users).map(self.user) {
                ask(.request(request), actor, on: storage)
            }
        case .createElsewhere:
            guard channels.count < shape.channels * 2 else { return }
            createElsewhere(by: user, on: storage)
        default: preconditionFailure("\(action) is no action elsewhere.")
        }
    }

    func createElsewhere(by user: UserID, on storage: isolated MemoryStorage) {
        let url = ChannelURL("channel-\(number())")
        let everybody = (0..<shape.users).map(self.user)
        var create = CreateChannel(userIDs: everybody, name: "name \(lastNumber)")
        create.channelURL = url
        if mix.has(.muteMember) { create.operatorIDs = [user] }
        ask(.create(create), user, on: storage)
        channels.append(url)
    }

    private func sendElsewhere(
        _ count: Int, to channel: ChannelURL, by user: UserID, answering parent: MessageID? = nil,
        on storage: isolated MemoryStorage
    ) {
        for _ in 0..<count {
            let command = MessageCommand(
                channelURL: channel, requestID: nil, content: .user(text: "else \(number())"),
                customType: random.customType(), parentID: parent,
                isReplyToChannel: parent != nil && random.pick(2) == 0)
            ask(.post(SendMessage(message: command)), user, on: storage)
        }
    }

    private func ask(
        _ question: ServerQuestion, _ user: UserID, on storage: isolated MemoryStorage
    ) {
        let answer = server.answer(question, as: user, on: storage, at: serverTime)
        made.note(question, by: user, answer)
        note("elsewhere \(user): \(question)\(answer.failure.map { ": \($0)" } ?? "")")
        deliver()
    }

    private func someMessage(
        in channel: ChannelURL, by user: UserID?, on storage: isolated MemoryStorage
    ) -> MessageID? {
        random.message(storage.entries(of: channel), by: user)
    }
}
