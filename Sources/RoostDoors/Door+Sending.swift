// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel

extension Door {
    /// Sends a message, and returns at once what will be shown of it.
    ///
    /// Messages are written down in the order of these calls.
    package func send(
        _ params: MessageParams, to channel: ChannelURL,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        let preview = preview(of: params, in: channel)
        guard let requestID = preview.requestID else { return preview }
        inOrder {
            do throws(RoostError) {
                let client = try await self.client()
                await self.ear?.expect(requestID, callback)
                let message = try await client.send(params, to: channel, as: requestID)
                await self.ear?.queued(message)
            } catch {
                await self.ear?.forget(requestID)
                var message = preview
                message.delivery = .unsent(requestID, .failed(error.code))
                self.tell(callback, (message, error))
            }
        }
        return preview
    }

    /// Sends a failed message again, under its name.
    package func resend(
        _ message: Message, then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        guard let requestID = message.requestID else { return message }
        var pending = message
        pending.delivery = .unsent(requestID, .pending)
        inOrder { [pending] in
            do throws(RoostError) {
                let client = try await self.client()
                await self.ear?.expect(requestID, callback)
                await client.resend(requestID)
                await self.ear?.queued(pending)
            } catch {
                self.tell(callback, (message, error))
            }
        }
        return pending
    }

    private func preview(of params: MessageParams, in channel: ChannelURL) -> Message {
        let world = world
        let me = user ?? account.map { User(id: $0) }
        var message = Message(
            delivery: .unsent(RequestID.random(world.entropy), .pending), channelURL: channel,
            createdAt: world.wallTime(), sender: me.map { Sender(user: $0) },
            content: .user(text: ""))
        switch params {
        case .user(let params):
            message.content = .user(text: params.text)
            message.data = params.data
            message.customType = params.customType
            message.mention = params.mention
            message.metaArrays = params.metaArrays
            message.parentID = params.parentID
            message.isReplyToChannel = params.isReplyToChannel
            message.isSilent = params.isSilent
        case .file(let params):
            let file = params.files.first
            message.content = .file(
                FileContent(
                    url: file?.address ?? "", name: file?.name ?? "", type: file?.type ?? "",
                    size: file?.size ?? ByteCount(bytes: 0), caption: params.caption))
            message.data = params.data
            message.customType = params.customType
            message.mention = params.mention
            message.metaArrays = params.metaArrays
            message.parentID = params.parentID
            message.isReplyToChannel = params.isReplyToChannel
            message.isSilent = params.isSilent
        }
        return message
    }

    /// Asks for a change of what the server holds, and tells when it is made.
    package func change(
        then callback: Callback<Result<Void, RoostError>>,
        _ work: @escaping @Sendable (ChatClient) async throws(RoostError) -> RequestID
    ) {
        perform(then: callback) { client throws(RoostError) in
            try await client.outcome(of: try await work(client))
        }
    }
}

extension OutgoingFile {
    fileprivate var address: String {
        switch source {
        case .url(let url): url
        case .copy(let path), .reference(let path): path
        case .bytes: ""
        }
    }
}
