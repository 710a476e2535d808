// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The handler of a text message, or of the error.
public typealias UserMessageHandler = (UserMessage?, SBError?) -> Void
/// The handler of a file message, or of the error.
public typealias FileMessageHandler = (FileMessage?, SBError?) -> Void
/// The handler of a message of any kind, or of the error.
public typealias BaseMessageHandler = (BaseMessage?, SBError?) -> Void
/// The handler of an upload's progress: bytes since the last call, bytes so far, and all bytes.
public typealias ProgressHandler = (
    _ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64
) -> Void

// Unsent messages are kept until the server has them. Without a connection the handler gets the
// pending message and an error; its later outcome goes to the collections (R142, R143).

extension GroupChannel {
    /// Sends a text, and returns at once the pending message.
    @discardableResult
    public func sendUserMessage(
        params: UserMessageCreateParams, completionHandler: UserMessageHandler? = nil
    ) -> UserMessage {
        UserMessage(
            SendbirdChat.door.send(
                .user(params.value), to: value.url,
                then: .sent(completionHandler) { UserMessage($0) }))
    }

    /// Sends a text, and returns at once the pending message.
    @discardableResult
    public func sendUserMessage(
        _ message: String, completionHandler: UserMessageHandler? = nil
    ) -> UserMessage {
        sendUserMessage(
            params: UserMessageCreateParams(message: message),
            completionHandler: completionHandler)
    }

    /// Sends a file, and returns at once the pending message.
    @discardableResult
    public func sendFileMessage(
        params: FileMessageCreateParams, completionHandler: FileMessageHandler? = nil
    ) -> FileMessage {
        sendFileMessage(
            params: params, progressHandler: nil, completionHandler: completionHandler)
    }

    /// Sends a file, and returns at once the pending message; reports the progress of the upload.
    @discardableResult
    public func sendFileMessage(
        params: FileMessageCreateParams, progressHandler: ProgressHandler?,
        completionHandler: FileMessageHandler? = nil
    ) -> FileMessage {
        FileMessage(
            SendbirdChat.door.send(
                .file(params.value), to: value.url, progress: .progress(progressHandler),
                then: .sent(completionHandler) { FileMessage($0) }))
    }

    /// Sends a failed text again, under the same request ID.
    @discardableResult
    public func resendUserMessage(
        _ message: UserMessage, completionHandler: UserMessageHandler? = nil
    ) -> UserMessage {
        UserMessage(
            SendbirdChat.door.resend(
                message.value, then: .sent(completionHandler) { UserMessage($0) }))
    }

    /// Sends a failed file again, under the same request ID; an uploaded file is not uploaded
    /// again.
    @discardableResult
    public func resendFileMessage(
        _ message: FileMessage, completionHandler: FileMessageHandler? = nil
    ) -> FileMessage {
        FileMessage(
            SendbirdChat.door.resend(
                message.value, then: .sent(completionHandler) { FileMessage($0) }))
    }

    /// Cancels an unsent message; a message being sent may arrive all the same.
    public func cancelPendingMessage(
        requestId: String, completionHandler: SBErrorHandler? = nil
    ) {
        SendbirdChat.door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            await client.cancel(RequestID(requestId))
        }
    }

    /// Edits the user's own message; without a connection the change and the handler wait.
    public func updateUserMessage(
        messageId: Int64, params: UserMessageUpdateParams,
        completionHandler: UserMessageHandler? = nil
    ) {
        SendbirdChat.door.edit(
            MessageID(messageId), in: value.url, params.value,
            then: .answer(completionHandler) { UserMessage($0) })
    }

    /// Deletes a message for everybody; without a connection the change and the handler wait.
    public func deleteMessage(
        messageId: Int64, completionHandler: SBErrorHandler? = nil
    ) {
        let url = value.url
        SendbirdChat.door.change(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.delete(MessageID(messageId), in: url)
        }
    }

    /// Deletes a message for everybody; an unsent message is canceled.
    public func deleteMessage(
        _ message: BaseMessage, completionHandler: SBErrorHandler? = nil
    ) {
        let (url, target) = (value.url, message.target)
        SendbirdChat.door.change(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.delete(target, in: url)
        }
    }

    /// Adds the user's reaction with a key; without a connection the change and the handler wait.
    public func addReaction(
        with message: BaseMessage, key: String,
        completionHandler: ((ReactionEvent?, SBError?) -> Void)? = nil
    ) {
        react(message, key, isAdded: true, completionHandler)
    }

    /// Removes the user's reaction with a key; without a connection the change and the handler
    /// wait.
    public func deleteReaction(
        with message: BaseMessage, key: String,
        completionHandler: ((ReactionEvent?, SBError?) -> Void)? = nil
    ) {
        react(message, key, isAdded: false, completionHandler)
    }

    private func react(
        _ message: BaseMessage, _ key: String, isAdded: Bool,
        _ handler: ((ReactionEvent?, SBError?) -> Void)?
    ) {
        let (url, target) = (value.url, message.target)
        let event = ReactionEvent(
            messageId: message.messageId, key: key,
            userId: SendbirdChat.getCurrentUser()?.userId ?? "",
            operation: isAdded ? .add : .delete)
        let done = handler.map { handler in
            { (error: SBError?) in
                if let error { handler(nil, error) } else { handler(event, nil) }
            }
        }
        SendbirdChat.door.change(then: .done(done)) { client throws(RoostError) in
            isAdded
                ? try await client.addReaction(key, to: target, in: url)
                : try await client.removeReaction(key, from: target, in: url)
        }
    }
}

/// A user's reaction that was added or removed.
public final class ReactionEvent: NSObject {
    /// The kinds of changes.
    public enum Operation: Int, Sendable {
        /// The reaction was added.
        case add
        /// The reaction was removed.
        case delete
    }

    /// The message.
    public let messageId: Int64
    /// The key of the reaction.
    public let key: String
    /// The user who reacted.
    public let userId: String
    /// Whether the reaction was added or removed.
    public let operation: Operation

    init(messageId: Int64, key: String, userId: String, operation: Operation) {
        self.messageId = messageId
        self.key = key
        self.userId = userId
        self.operation = operation
    }
}

extension BaseMessage {
    fileprivate var target: MessageTarget {
        switch value.delivery {
        case .delivered(let id, _): .delivered(id)
        case .unsent(let id, _): .unsent(id)
        }
    }
}

extension FileMessageCreateParams {
    var value: FileMessageParams {
        let source: OutgoingFile.Source =
            if let file {
                .bytes(Array(file))
            } else {
                OutgoingFile.Source(address: fileURL ?? "")
            }
        return FileMessageParams(
            files: [
                OutgoingFile(
                    source, name: fileName ?? "", type: mimeType ?? "application/octet-stream",
                    size: fileSize.map { ByteCount(bytes: Int64(clamping: $0)) })
            ],
            data: data ?? "", customType: customType ?? "", mention: mention,
            metaArrays: arrays, parentID: parentID, isReplyToChannel: isReplyToChannel,
            isSilent: isSilent)
    }
}

extension UserMessageUpdateParams {
    var value: MessageEdit {
        var mention: Mention?
        if mentionType != nil || mentionedUserIds != nil {
            mention = Mention(
                kind: mentionType == .channel ? .channel : .users,
                userIDs: (mentionedUserIds ?? []).map { UserID($0) })
        }
        return MessageEdit(
            text: message, data: data, customType: customType, mention: mention)
    }
}

extension Callback where Value == UploadProgress {
    fileprivate static func progress(_ handler: ProgressHandler?) -> Self {
        var last: Int64 = 0
        return Callback(
            handler.map { handler in
                { progress in
                    // A repeated attempt starts at zero.
                    let (sent, total) = (progress.sent.bytes, progress.total.bytes)
                    if sent < last { last = 0 }
                    handler(sent - last, sent, total)
                    last = sent
                }
            })
    }
}
