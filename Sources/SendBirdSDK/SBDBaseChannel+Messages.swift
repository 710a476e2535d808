// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

extension SBDBaseChannel {
    /// The handler of a text's outcome: the message as it is now, and an error if it is not sent.
    public typealias UserMessageHandler = (SBDUserMessage?, SBDError?) -> Void
    /// The handler of a file's outcome: the message as it is now, and an error if it is not sent.
    public typealias FileMessageHandler = (SBDFileMessage?, SBDError?) -> Void
    /// The handler of an upload: the bytes sent since the last call, those sent so far, and all.
    public typealias ProgressHandler = (
        _ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64
    ) -> Void

    // MARK: Texts

    /// Sends a text, and returns at once the pending message.
    ///
    /// Without a connection the handler gets 800101. With `useCaching`, or with the policy
    /// `.automatic` of the sync manager, it gets the pending message, which is sent with the next
    /// connection. Otherwise the message has failed, as one for an open channel always does.
    @discardableResult
    public func sendUserMessage(
        _ message: String?, completionHandler: UserMessageHandler? = nil
    ) -> SBDUserMessage {
        send(UserMessageParams(text: message ?? ""), completionHandler)
    }

    /// Sends a text, and returns at once the pending message.
    ///
    /// Without a connection the handler gets 800101. With `useCaching`, or with the policy
    /// `.automatic` of the sync manager, it gets the pending message, which is sent with the next
    /// connection. Otherwise the message has failed, as one for an open channel always does.
    @discardableResult
    public func sendUserMessage(
        with params: SBDUserMessageParams, completionHandler: UserMessageHandler? = nil
    ) -> SBDUserMessage {
        send(params.value, completionHandler)
    }

    private func send(
        _ params: UserMessageParams, _ handler: UserMessageHandler?
    ) -> SBDUserMessage {
        let callback = Callback.sent(handler) { SBDUserMessage($0) }
        return SBDUserMessage(
            SBDMain.door.send(.user(params), to: address, refusal: nil, then: callback))
    }

    /// Sends a failed message again, under the same request ID.
    @discardableResult
    public func resendUserMessage(
        with message: SBDUserMessage, completionHandler: UserMessageHandler? = nil
    ) -> SBDUserMessage {
        SBDUserMessage(
            SBDMain.door.resend(
                message.value, to: address,
                then: .sent(completionHandler) { SBDUserMessage($0) }))
    }

    /// Edits the user's own message; without a connection the change and the handler wait.
    public func updateUserMessage(
        withMessageId messageId: Int64, userMessageParams params: SBDUserMessageParams,
        completionHandler: UserMessageHandler? = nil
    ) {
        let callback = Callback.answer(completionHandler) { (message: Message) in
            SBDUserMessage(message)
        }
        guard params.metaArrays?.isEmpty ?? true else {
            return SBDMain.door.notify(callback, .failure(.editOfMetaArrays))
        }
        SBDMain.door.edit(MessageID(messageId), in: address, params.edit, then: callback)
    }

    // MARK: Files

    /// Sends a file, and returns at once the pending message; never nil, and optional as in the old
    /// library.
    @discardableResult
    public func sendFileMessage(
        with params: SBDFileMessageParams, completionHandler: FileMessageHandler? = nil
    ) -> SBDFileMessage? {
        sendFileMessage(with: params, progressHandler: nil, completionHandler: completionHandler)
    }

    /// Sends a file and reports its upload, and returns at once the pending message; never nil.
    @discardableResult
    public func sendFileMessage(
        with params: SBDFileMessageParams, progressHandler: ProgressHandler?,
        completionHandler: FileMessageHandler?
    ) -> SBDFileMessage? {
        SBDFileMessage(
            SBDMain.door.send(
                .file(params.value), to: address, refusal: nil,
                progress: .progress(progressHandler),
                then: .sent(completionHandler) { SBDFileMessage($0) }))
    }

    /// Sends a failed file again, under the same request ID, and reports its upload.
    ///
    /// - Parameters:
    ///   - message: The failed message.
    ///   - binaryData: Not needed: the outbox has kept the bytes.
    ///   - progressHandler: The receiver of the progress.
    ///   - completionHandler: The receiver of the outcome.
    /// - Returns: The pending message; never nil.
    @discardableResult
    public func resendFileMessage(
        with message: SBDFileMessage, binaryData: Data?, progressHandler: ProgressHandler?,
        completionHandler: FileMessageHandler?
    ) -> SBDFileMessage? {
        SBDFileMessage(
            SBDMain.door.resend(
                message.value, progress: .progress(progressHandler),
                then: .sent(completionHandler) { SBDFileMessage($0) }))
    }

    // MARK: All messages

    /// Deletes a message for everybody; an unsent message is canceled.
    public func delete(
        _ message: SBDBaseMessage, completionHandler: SBDErrorHandler? = nil
    ) {
        SBDMain.door.delete(message.value.target, in: address, then: .done(completionHandler))
    }

    /// Adds the user's reaction to a message; without a connection the change and the handler wait.
    public func addReaction(
        with message: SBDBaseMessage, key: String,
        completionHandler: ((SBDReactionEvent?, SBDError?) -> Void)? = nil
    ) {
        react(message, key, isAdded: true, completionHandler)
    }

    /// Removes the user's reaction from a message; without a connection the change and the handler
    /// wait.
    public func deleteReaction(
        with message: SBDBaseMessage, key: String,
        completionHandler: ((SBDReactionEvent?, SBDError?) -> Void)? = nil
    ) {
        react(message, key, isAdded: false, completionHandler)
    }

    private func react(
        _ message: SBDBaseMessage, _ key: String, isAdded: Bool,
        _ handler: ((SBDReactionEvent?, SBDError?) -> Void)?
    ) {
        typealias Made = (id: MessageID?, change: ReactionChange)
        let callback = Callback.answer(handler) { (made: Made) in
            SBDReactionEvent(made.change, of: made.id?.rawValue ?? 0)
        }
        guard isGroupChannel() else {
            return SBDMain.door.notify(callback, .failure(.openChannel))
        }
        SBDMain.door.react(
            key, to: message.value.target, in: value.url, isAdded: isAdded, then: callback)
    }
}

extension Callback<UploadStep> {
    fileprivate static func progress(_ handler: SBDBaseChannel.ProgressHandler?) -> Self {
        uploadProgress(
            handler.map { handler in { _, news, sent, total in handler(news, sent, total) } })
    }
}
