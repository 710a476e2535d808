// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// Actions of the same users on devices outside the simulation: each takes effect at the server at
// once and without faults.

extension Simulation {
    func performElsewhere(
        _ action: Action, in place: ChannelURL? = nil, by somebody: UserID? = nil
    ) async throws {
        let user = somebody ?? user(pick(shape.users))
        let channel = place ?? channels[pick(channels.count)]
        if action.mayHideMessages { for app in apps { app.noteLoss() } }
        switch action {
        case .sendElsewhere: await sendElsewhere(1 + pick(3), to: channel, by: user)
        case .replyElsewhere:
            guard let parent = someMessage(in: channel, by: nil) else { return }
            await sendElsewhere(1 + pick(2), to: channel, by: user, answering: parent)
        case .burst:
            // Around the border between a silent fill and a huge gap (R113).
            let isHuge = random.next() % 4 == 0
            await sendElsewhere((isHuge ? 290 : 10) + pick(30), to: channel, by: user)
        case .editElsewhere:
            guard let id = someMessage(in: channel, by: user) else { return }
            lastNumber += 1
            let edit = EditCommand(
                channelURL: channel, messageID: id, requestID: nil, text: "edit \(lastNumber)",
                customType: pick(3) == 0 ? random.customType() : nil)
            await ask(EditMessage(edit: edit), as: user)
        case .deleteElsewhere:
            guard let id = someMessage(in: channel, by: user) else { return }
            await ask(DeleteMessage(channelURL: channel, messageID: id), as: user)
        case .readElsewhere: await ask(MarkAsRead(channelURL: channel), as: user)
        case .leave:
            noteDeparture(of: user, from: channel)
            await ask(LeaveChannel(channelURL: channel), as: user)
        case .join:
            // All users send the invitation, because only a member's succeeds.
            for inviter in (0..<shape.users).map(self.user) {
                await ask(InviteMembers(channelURL: channel, userIDs: [user]), as: inviter)
            }
        case .rename:
            lastNumber += 1
            await ask(UpdateChannel(channelURL: channel, name: "name \(lastNumber)"), as: user)
        case .react:
            guard let id = someMessage(in: channel, by: nil) else { return }
            // Few emojis, so that they are removed as often as added; one is that of the apps.
            let isRemoved = random.next() % 3 == 0
            let key = pick(2) == 0 ? "0" : "ok"
            await change(
                isRemoved ? .delete : .post,
                ["group_channels", channel.rawValue, "messages", "\(id)", "reactions"],
                #"{"reaction":"\#(key)"}"#, as: user)
        case .hide:
            let (hidesPrevious, returns) = (random.next() % 3 == 0, random.next() % 2 == 0)
            await change(
                .put, ["group_channels", channel.rawValue, "hide"],
                #"{"hide_previous_messages":\#(hidesPrevious),"allow_auto_unhide":\#(returns)}"#,
                as: user)
        case .show:
            await change(.delete, ["group_channels", channel.rawValue, "hide"], "{}", as: user)
        case .resetHistory:
            await change(
                .put, ["group_channels", channel.rawValue, "reset_user_history"], "{}", as: user)
        case .muteMember:
            let request = random.muteRequest(of: self.user(pick(shape.users)), in: channel)
            // Only an operator's request succeeds.
            for actor in (0..<shape.users).map(self.user) {
                await make(request.encode(), "\(request)", as: actor)
            }
        case .createElsewhere:
            guard channels.count < shape.channels * 2 else { return }
            try await createElsewhere(by: user)
        default: preconditionFailure("\(action) is no action elsewhere.")
        }
    }

    func createElsewhere(by user: UserID) async throws {
        lastNumber += 1
        let url = ChannelURL("channel-\(lastNumber)")
        let everybody = (0..<shape.users).map(self.user)
        var call = CreateChannel(userIDs: everybody, name: "name \(lastNumber)")
        call.channelURL = url
        if mix.has(.muteMember) { call.operatorIDs = [user] }
        await ask(call, as: user)
        channels.append(url)
    }

    private func sendElsewhere(
        _ count: Int, to channel: ChannelURL, by user: UserID, answering parent: MessageID? = nil
    ) async {
        for _ in 0..<count {
            lastNumber += 1
            let command = MessageCommand(
                channelURL: channel, requestID: nil, content: .user(text: "else \(lastNumber)"),
                customType: random.customType(), parentID: parent,
                isReplyToChannel: parent != nil && pick(2) == 0)
            await ask(SendMessage(message: command), as: user)
        }
    }

    private func someMessage(in channel: ChannelURL, by user: UserID?) -> MessageID? {
        random.message(log(of: channel), by: user)
    }

    /// The server's log of a channel.
    func log(of channel: ChannelURL) -> [MemoryChannel.Entry] {
        world.storage.assumeIsolated { $0.entries(of: channel) }
    }

    /// The server's log of a channel as a user sees it.
    func log(of channel: ChannelURL, for user: UserID) -> ServerLog {
        world.storage.assumeIsolated { storage in
            ServerLog(
                of: channel, storage.entries(of: channel),
                hiddenThrough: storage.messageOffset(of: user, in: channel))
        }
    }

    /// Makes a request that has no typed call, such as to hide a channel.
    private func change(
        _ method: APIRequest.Method, _ path: [String], _ body: String, as user: UserID
    ) async {
        await make(
            APIRequest(method, path, body: Array(body.utf8)),
            "\(path.joined(separator: "/")) \(body)", as: user)
    }

    private func make(_ request: APIRequest, _ name: String, as user: UserID) async {
        let response = await world.server.respond(
            to: request, headers: RequestHeaders(sessionKey: keysElsewhere[user]))
        note("elsewhere \(user): \(name): \(response.status)")
    }

    /// Makes a typed call; returns nil if the server refuses it.
    @discardableResult
    func ask<Call: Endpoint>(_ call: Call, as user: UserID) async -> Call.Output? {
        let response = await world.server.respond(
            to: call.encode(), headers: RequestHeaders(sessionKey: keysElsewhere[user]))
        do {
            let output = try Call.decode(response)
            note("elsewhere \(user): \(call)")
            return output
        } catch {
            note("elsewhere \(user): \(call): \(error)")
            return nil
        }
    }
}
