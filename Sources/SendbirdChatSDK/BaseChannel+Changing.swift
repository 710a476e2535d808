// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

// Changes of messages. Edits, deletions and reactions wait in the outbox without a connection; pins
// and meta arrays need one. In an open channel each change needs one, and only texts are changed.

extension BaseChannel {
    // MARK: Edits

    /// Edits the user's own text; without a connection the change and the handler wait.
    public func updateUserMessage(
        messageId: Int64, params: UserMessageUpdateParams,
        completionHandler: UserMessageHandler? = nil
    ) {
        edit(
            messageId, params, params.message, as: .user,
            then: .answer(completionHandler) { UserMessage($0) })
    }

    /// Edits the properties of the user's own file message; without a connection the change and the
    /// handler wait.
    public func updateFileMessage(
        messageId: Int64, params: FileMessageUpdateParams,
        completionHandler: FileMessageHandler? = nil
    ) {
        edit(
            messageId, params, params.message, as: .file,
            then: .answer(completionHandler) { FileMessage($0) })
    }

    private func edit(
        _ messageId: Int64, _ params: BaseMessageUpdateParams, _ text: String?,
        as kind: Door.EditedKind, then callback: Callback<Result<Message, RoostError>>
    ) {
        if let name = params.unsupported {
            return SendbirdChat.door.notify(
                callback, .failure(.unsupported("The property \(name) is not supported.")))
        }
        SendbirdChat.door.edit(
            MessageID(messageId), in: address, params.edit(text), as: kind, then: callback)
    }

    // MARK: Deletions

    /// Deletes a message for everybody; without a connection the change and the handler wait.
    public func deleteMessage(
        messageId: Int64, completionHandler: SBErrorHandler? = nil
    ) {
        delete(.delivered(MessageID(messageId)), completionHandler)
    }

    /// Deletes a message for everybody.
    ///
    /// The server keeps nothing of a deleted message, so `hardDelete: false` gives
    /// `ChatError.notSupported`.
    public func deleteMessage(
        messageId: Int64, hardDelete: Bool, completionHandler: SBErrorHandler? = nil
    ) {
        guard hardDelete else {
            return SendbirdChat.door.notify(
                .error(completionHandler),
                .unsupported("The server deletes messages for good only."))
        }
        deleteMessage(messageId: messageId, completionHandler: completionHandler)
    }

    /// Deletes a message for everybody; an unsent message is canceled.
    public func deleteMessage(
        _ message: BaseMessage, completionHandler: SBErrorHandler? = nil
    ) {
        delete(message.value.target, completionHandler)
    }

    private func delete(_ target: MessageTarget, _ handler: SBErrorHandler?) {
        SendbirdChat.door.delete(target, in: address, then: .done(handler))
    }

    // MARK: Reactions

    /// Adds the user's reaction with a key; without a connection the change and the handler wait.
    public func addReaction(
        with message: BaseMessage, key: String, completionHandler: ReactionEventHandler? = nil
    ) {
        react(message, key, isAdded: true, completionHandler)
    }

    /// Removes the user's reaction with a key; without a connection the change and the handler
    /// wait.
    public func deleteReaction(
        with message: BaseMessage, key: String, completionHandler: ReactionEventHandler? = nil
    ) {
        react(message, key, isAdded: false, completionHandler)
    }

    private func react(
        _ message: BaseMessage, _ key: String, isAdded: Bool, _ handler: ReactionEventHandler?
    ) {
        typealias Made = (id: MessageID?, change: ReactionChange)
        let callback = Callback.answer(handler) { (made: Made) in
            ReactionEvent(made.change, of: made.id?.rawValue ?? 0)
        }
        guard !isOpenChannel() else {
            return SendbirdChat.door.notify(callback, .failure(.notForOpenChannels))
        }
        SendbirdChat.door.react(
            key, to: message.value.target, in: value.url, isAdded: isAdded, then: callback)
    }

    // MARK: Pins

    /// Pins a message for all members; `pinnedMessageIds` lists it.
    public func pinMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            guard !channel.isOpen else { throw .notForOpenChannels }
            try await client.makeNow(.pin(MessageID(messageId)), in: channel.url)
        }
    }

    /// Unpins a message for all members.
    public func unpinMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil) {
        actEither(completionHandler) { client, channel throws(RoostError) in
            guard !channel.isOpen else { throw .notForOpenChannels }
            try await client.makeNow(.unpin(MessageID(messageId)), in: channel.url)
        }
    }

    // MARK: Meta arrays

    /// Adds meta arrays without texts to the user's own message.
    public func createMessageMetaArrayKeys(
        message: BaseMessage, keys: [String], completionHandler: BaseMessageHandler? = nil
    ) {
        change(.add(keys.map { MetaArray(key: $0, values: []) }), of: message, completionHandler)
    }

    /// Removes meta arrays of the user's own message.
    public func deleteMessageMetaArrayKeys(
        message: BaseMessage, keys: [String], completionHandler: BaseMessageHandler? = nil
    ) {
        change(.removeLists(keys), of: message, completionHandler)
    }

    /// Adds texts to the meta arrays of the user's own message; missing arrays are created.
    public func addMessageMetaArrayValues(
        message: BaseMessage, keyValues: [String: [String]],
        completionHandler: BaseMessageHandler? = nil
    ) {
        change(.add(keyValues.arrays), of: message, completionHandler)
    }

    /// Adds texts to the meta arrays of the user's own message; missing arrays are created.
    public func addMessageMetaArrayValues(
        message: BaseMessage, metaArrays: [MessageMetaArray],
        completionHandler: BaseMessageHandler? = nil
    ) {
        change(.add(metaArrays.map(\.array)), of: message, completionHandler)
    }

    /// Removes texts from the meta arrays of the user's own message.
    public func removeMessageMetaArrayValues(
        message: BaseMessage, keyValues: [String: [String]],
        completionHandler: BaseMessageHandler? = nil
    ) {
        change(.removeTexts(keyValues.arrays), of: message, completionHandler)
    }

    /// Removes texts from the meta arrays of the user's own message.
    public func removeMessageMetaArrayValues(
        message: BaseMessage, metaArrays: [MessageMetaArray],
        completionHandler: BaseMessageHandler? = nil
    ) {
        change(.removeTexts(metaArrays.map(\.array)), of: message, completionHandler)
    }

    private enum ArrayChange: Sendable {
        case add([MetaArray])
        case removeTexts([MetaArray])
        case removeLists([String])
    }

    private func change(
        _ change: ArrayChange, of message: BaseMessage, _ handler: BaseMessageHandler?
    ) {
        let id = message.value.messageID
        askEither(.answer(handler) { BaseMessage.make($0) }) {
            client, channel throws(RoostError) in
            guard !channel.isOpen else { throw .notForOpenChannels }
            guard let id else { throw .notSent }
            let url = channel.url
            switch change {
            case .add(let arrays):
                return try await client.addMetaArrays(arrays, to: id, in: url)
            case .removeTexts(let arrays):
                return try await client.removeMetaArrayTexts(arrays, from: id, in: url)
            case .removeLists(let keys):
                return try await client.removeMetaArrays(keys, from: id, in: url)
            }
        }
    }
}

extension [String: [String]] {
    /// The lists in the order of their keys.
    fileprivate var arrays: [MetaArray] {
        sorted { $0.key < $1.key }.map { MetaArray(key: $0.key, values: $0.value) }
    }
}
