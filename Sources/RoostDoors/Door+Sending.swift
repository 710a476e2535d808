// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Roost
package import RoostModel

extension Door {
    /// Sends a message, and returns at once the pending message.
    ///
    /// Messages are saved in the order of these calls.
    package func send(
        _ params: MessageParams, to channel: ChannelURL,
        progress: Callback<UploadStep> = .none,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        let (pending, requestID) = preview(of: params, in: channel)
        let current = clientForCall()
        sending.add(on: self) {
            var expected: (observer: ClientObserver, number: Int)?
            do throws(RoostError) {
                let opened = try await current.opened()
                let number = await opened.observer.expect(requestID, callback, progress: progress)
                expected = (opened.observer, number)
                let message = try await opened.client.send(params, to: channel, as: requestID)
                await opened.observer.queued(message, for: number)
            } catch {
                if let (observer, number) = expected, await !observer.forget(number) { return }
                var message = pending
                message.delivery = .unsent(requestID, .failed(error.code))
                self.notify(callback, (message, error))
            }
        }
        return pending
    }

    /// Sends a failed message again, under the same request ID, and returns at once the pending
    /// message; a delivered one is returned as it is, and the callback gets an error.
    package func resend(
        _ message: Message, progress: Callback<UploadStep> = .none,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        // The outbox knows the state of an unsent message better than the app's object.
        guard case .unsent(let requestID, _) = message.delivery else {
            notify(callback, (message, .nothingToResend))
            return message
        }
        var pending = message
        pending.delivery = .unsent(requestID, .pending)
        let current = clientForCall()
        sending.add(on: self) { [pending] in
            do throws(RoostError) {
                let opened = try await current.opened()
                let number = await opened.observer.expect(
                    requestID, callback, progress: progress, isRetry: true)
                guard await opened.client.resend(requestID) else {
                    if await opened.observer.forget(number) { throw .nothingToResend }
                    return
                }
                await opened.observer.queued(pending, for: number)
            } catch {
                self.notify(callback, (message, error))
            }
        }
        return pending
    }

    /// Returns a message as it is shown until it is on disk, and its new request ID.
    func preview(
        of params: MessageParams, in channel: ChannelURL
    ) -> (message: Message, requestID: RequestID) {
        let world = world
        let me = user ?? account.map { User(id: $0) }
        let requestID = RequestID.random(world.entropy)
        var message = Message(
            delivery: .unsent(requestID, .pending), channelURL: channel,
            createdAt: world.wallTime(), sender: me.map { Sender(user: $0) },
            content: .user(text: ""))
        message.details.params = params
        switch params {
        case .user(let params):
            message.content = .user(text: params.text)
            message.take(params)
        case .file(let params):
            message.content = .file(FileContent(params))
            message.take(params)
        }
        return (message, requestID)
    }

    /// The kinds of messages that their author can edit.
    package enum EditedKind: Sendable {
        case user
        case file

        package func matches(_ message: Message) -> Bool {
            switch (self, message.content) {
            case (.user, .user), (.file, .file): true
            default: false
            }
        }
    }

    /// Edits a message, and calls back with the edited message.
    ///
    /// A message of another kind is refused, at once if the cache has it.
    package func edit(
        _ id: MessageID, in channel: ChannelURL, _ edit: MessageEdit, as kind: EditedKind = .user,
        then callback: Callback<Result<Message, RoostError>>
    ) {
        perform(on: [channel], then: callback) { client throws(RoostError) in
            if let known = try await client.cachedMessage(id), !kind.matches(known) {
                throw .otherKind
            }
            try await client.outcome(of: try await client.edit(.delivered(id), in: channel, edit))
            var message = try await client.cachedMessage(id)
            // A message that was never shown is not in the cache, and its edit did not add it.
            if message == nil { message = try await client.fetchMessage(id, in: channel) }
            guard let message, kind.matches(message) else { throw .otherKind }
            return message
        }
    }

    /// Adds or removes the user's reaction, and calls back with the message and the change as the
    /// server made it.
    ///
    /// An unsent message has its ID when the reaction is there; nil if the cache lacks the message.
    package func react(
        _ key: String, to target: MessageTarget, in channel: ChannelURL, isAdded: Bool,
        then callback: Callback<Result<(id: MessageID?, change: ReactionChange), RoostError>>
    ) {
        let (world, saving) = (world, saving(of: target))
        perform(then: callback) { client throws(RoostError) in
            await saving?.value
            let request =
                isAdded
                ? try await client.addReaction(key, to: target, in: channel)
                : try await client.removeReaction(key, from: target, in: channel)
            try await client.outcome(of: request)
            var change = ReactionChange(
                key: key, userID: client.configuration.userID, isAdded: isAdded,
                updatedAt: world.wallTime())
            let (id, message) = try await client.cached(target)
            // The cache has the server's time, unless the last reaction of the key was removed.
            if let reaction = message?.details.reactions?.first(where: { $0.key == key }) {
                change.updatedAt = reaction.updatedAt
            }
            return (id, change)
        }
    }

    /// The saving of the messages that the app has sent so far, for which a change of an unsent
    /// message waits; nil for a delivered one.
    func saving(of target: MessageTarget) -> Task<Void, Never>? {
        if case .unsent = target { sending.last } else { nil }
    }

    /// Queues a change and calls back when the server has made it.
    package func change(
        then callback: Callback<Result<Void, RoostError>>,
        _ work: @escaping @Sendable (ChatClient) async throws(RoostError) -> RequestID
    ) {
        perform(then: callback) { client throws(RoostError) in
            try await client.outcome(of: try await work(client))
        }
    }
}

extension ChatClient {
    /// Returns the ID of a delivered message, and the message if the cache has it.
    fileprivate func cached(
        _ target: MessageTarget
    ) async throws(RoostError) -> (MessageID?, Message?) {
        switch target {
        case .delivered(let id): return (id, try await cachedMessage(id))
        case .unsent(let id):
            let message = try await cachedMessage(sentAs: id)
            return (message?.messageID, message)
        }
    }
}

extension RoostError {
    static let nothingToResend = RoostError(
        .messageNotFound, remedy: .none,
        message: "This message has not failed, or was canceled, so it cannot be sent again.")
    package static let otherKind = RoostError(
        .invalidParameter, remedy: .correctInput,
        message: "This message is of another kind: it cannot be changed in this way.")
}

extension OutgoingFile.Source {
    /// Creates a source from a file's address in the old libraries: a path, a `file:` URL or a
    /// network URL.
    package init(address: String) {
        if address.hasPrefix("file://") {
            self = .copy(of: URL(string: address)?.path ?? address)
        } else if address.hasPrefix("/") {
            self = .copy(of: address)
        } else {
            self = .url(address)
        }
    }
}

extension FileContent {
    /// The files of a message to be sent; bytes in memory have no address.
    fileprivate init(_ params: FileMessageParams) {
        let files = params.files.map { FileContent($0) }
        self = files.first ?? FileContent(url: "", name: "", type: "", size: ByteCount(bytes: 0))
        caption = params.caption
        if files.count > 1 { self.files = files }
    }

    private init(_ file: OutgoingFile) {
        var size = file.size?.bytes ?? 0
        if case .bytes(let bytes) = file.source { size = Int64(bytes.count) }
        self.init(
            url: file.address, name: file.name, type: file.type, size: ByteCount(bytes: size))
        thumbnails = file.thumbnails
        requiresAuth = file.requiresAuth
    }
}

extension OutgoingFile {
    /// The network address or the path; empty for bytes.
    var address: String {
        switch source {
        case .url(let url): url
        case .copy(let path), .reference(let path): path
        case .bytes: ""
        }
    }
}
