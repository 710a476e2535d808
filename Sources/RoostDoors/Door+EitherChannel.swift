// SPDX-License-Identifier: Apache-2.0

import Roost
package import RoostModel

// The calls about messages in a channel of either kind. Messages for open channels are not kept:
// they fail if they cannot be sent at once.

extension Door {
    /// Sends a message unless there is a reason against it, and returns at once the pending
    /// message.
    package func send(
        _ params: MessageParams, to channel: ChannelAddress, refusal: RoostError?,
        progress: Callback<UploadStep> = .none,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        if let refusal { return refuse(params, to: channel, refusal, then: callback) }
        guard channel.isOpen else {
            return send(params, to: channel.url, progress: progress, then: callback)
        }
        guard case .user(let text) = params else {
            return refuse(params, to: channel, notForOpenChannels, then: callback)
        }
        return sendToOpenChannel(text, channel, then: callback)
    }

    /// Sends a failed message again, under the same request ID.
    package func resend(
        _ message: Message, to channel: ChannelAddress, progress: Callback<UploadStep> = .none,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        guard channel.isOpen, case .user(let text)? = message.params else {
            return resend(message, progress: progress, then: callback)
        }
        // A refused message has no request ID, and the refused property is lost.
        guard let requestID = message.requestID, !requestID.rawValue.isEmpty else {
            notify(callback, (message, .nothingToResend))
            return message
        }
        return sendToOpenChannel(text, channel, as: requestID, then: callback)
    }

    /// Edits a message, and calls back with the edited message.
    package func edit(
        _ id: MessageID, in channel: ChannelAddress, _ edit: MessageEdit,
        as kind: EditedKind = .user, then callback: Callback<Result<Message, RoostError>>
    ) {
        guard channel.isOpen else {
            return self.edit(id, in: channel.url, edit, as: kind, then: callback)
        }
        perform(then: callback) { [notForOpenChannels] client throws(RoostError) in
            guard kind == .user else { throw notForOpenChannels }
            return try await client.editNow(id, inOpenChannel: channel.url, edit)
        }
    }

    /// Deletes a message for everybody; an unsent message is canceled.
    package func delete(
        _ target: MessageTarget, in channel: ChannelAddress,
        then callback: Callback<Result<Void, RoostError>>
    ) {
        guard channel.isOpen else {
            let saving = saving(of: target)
            return change(then: callback) { client throws(RoostError) in
                await saving?.value
                return try await client.delete(target, in: channel.url)
            }
        }
        perform(then: callback) { client throws(RoostError) in
            guard case .delivered(let id) = target else { throw .notSent }
            try await client.deleteNow(id, inOpenChannel: channel.url)
        }
    }

    private func sendToOpenChannel(
        _ params: UserMessageParams, _ channel: ChannelAddress, as requestID: RequestID? = nil,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        var (message, name) = preview(of: .user(params), in: channel)
        if let requestID {
            name = requestID
            message.delivery = .unsent(requestID, .pending)
        }
        let current = clientForCall()
        // The server's answer is waited for, so each channel has a queue of its own.
        sending(to: channel.url).add(on: self) { [message, name] in
            do throws(RoostError) {
                let client = try await current.opened().client
                let sent = try await client.sendNow(params, toOpenChannel: channel.url, as: name)
                self.notify(callback, (sent, nil))
            } catch {
                var failed = message
                failed.delivery = .unsent(name, .failed(error.code))
                self.notify(callback, (failed, error))
            }
        }
        return message
    }

    private func preview(
        of params: MessageParams, in channel: ChannelAddress
    ) -> (message: Message, requestID: RequestID) {
        var made = preview(of: params, in: channel.url)
        if channel.isOpen {
            made.message.unknownFields.keep(.init(name: "channel_type", json: "\"open\""))
        }
        return made
    }

    /// Returns a message that is not sent, and calls back with the reason.
    package func refuse(
        _ params: MessageParams, to channel: ChannelAddress, _ error: RoostError,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        var message = preview(of: params, in: channel).message
        message.delivery = .unsent("", .failed(error.code))
        notify(callback, (message, error))
        return message
    }
}

extension RoostError {
    /// The error of a call about a message that the server does not have.
    package static let notSent = RoostError(
        .invalidParameter, remedy: .correctInput,
        message: "Only a message that the server has can be copied or changed in this way.")
}
