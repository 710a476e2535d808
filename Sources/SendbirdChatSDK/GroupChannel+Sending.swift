// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

public typealias UserMessageHandler = (UserMessage?, SBError?) -> Void
public typealias FileMessageHandler = (FileMessage?, SBError?) -> Void
public typealias BaseMessageHandler = (BaseMessage?, SBError?) -> Void
/// Bytes sent since the last call, bytes sent so far, and all there are.
public typealias ProgressHandler = (
    _ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64
) -> Void

// What a user writes is kept until the server has it. Without a connection the handler of a message gets
// the pending message and an error, and what becomes of it later comes to the collections (R142, R143).

extension GroupChannel {
    /// Sends a text, and returns at once what is to be shown of it.
    @discardableResult
    public func sendUserMessage(
        params: UserMessageCreateParams, completionHandler: UserMessageHandler? = nil
    ) -> UserMessage {
        UserMessage(
            SendbirdChat.door.send(
                .user(params.value), to: value.url,
                then: .sent(completionHandler) { UserMessage($0) }))
    }

    @discardableResult
    public func sendUserMessage(
        _ message: String, completionHandler: UserMessageHandler? = nil
    ) -> UserMessage {
        sendUserMessage(
            params: UserMessageCreateParams(message: message),
            completionHandler: completionHandler)
    }

    /// Sends a file, and returns at once what is to be shown of it.
    @discardableResult
    public func sendFileMessage(
        params: FileMessageCreateParams, completionHandler: FileMessageHandler? = nil
    ) -> FileMessage {
        sendFileMessage(
            params: params, progressHandler: nil, completionHandler: completionHandler)
    }

    /// Sends a file, and tells how its upload goes until the completion handler is called.
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

    /// Sends a failed message again, under the same request ID.
    @discardableResult
    public func resendUserMessage(
        _ message: UserMessage, completionHandler: UserMessageHandler? = nil
    ) -> UserMessage {
        UserMessage(
            SendbirdChat.door.resend(
                message.value, then: .sent(completionHandler) { UserMessage($0) }))
    }

    /// Sends a failed message again, under the same request ID; what was uploaded stays so.
    @discardableResult
    public func resendFileMessage(
        _ message: FileMessage, completionHandler: FileMessageHandler? = nil
    ) -> FileMessage {
        FileMessage(
            SendbirdChat.door.resend(
                message.value, then: .sent(completionHandler) { FileMessage($0) }))
    }

    /// Takes an unsent message back; one that is on its way may arrive all the same.
    public func cancelPendingMessage(
        requestId: String, completionHandler: SBErrorHandler? = nil
    ) {
        SendbirdChat.door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            await client.cancel(RequestID(requestId))
        }
    }

    /// Changes an own message; without a connection the change waits, and the handler with it.
    public func updateUserMessage(
        messageId: Int64, params: UserMessageUpdateParams,
        completionHandler: UserMessageHandler? = nil
    ) {
        SendbirdChat.door.edit(
            MessageID(messageId), in: value.url, params.value,
            then: .answer(completionHandler) { UserMessage($0) })
    }

    /// Deletes a message for everybody; without a connection that waits, and the handler with it.
    public func deleteMessage(
        messageId: Int64, completionHandler: SBErrorHandler? = nil
    ) {
        let url = value.url
        SendbirdChat.door.change(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.delete(MessageID(messageId), in: url)
        }
    }

    /// Deletes a message; one that was not sent yet is taken back.
    public func deleteMessage(
        _ message: BaseMessage, completionHandler: SBErrorHandler? = nil
    ) {
        let (url, target) = (value.url, message.target)
        SendbirdChat.door.change(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.delete(target, in: url)
        }
    }

    public func addReaction(
        with message: BaseMessage, key: String,
        completionHandler: ((ReactionEvent?, SBError?) -> Void)? = nil
    ) {
        react(message, key, isAdded: true, completionHandler)
    }

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

/// One person's emoji coming or going.
public final class ReactionEvent: NSObject {
    public enum Operation: Int, Sendable {
        case add
        case delete
    }

    public let messageId: Int64
    public let key: String
    public let userId: String
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
                    // A try that begins anew begins at nothing.
                    let (sent, total) = (progress.sent.bytes, progress.total.bytes)
                    if sent < last { last = 0 }
                    handler(sent - last, sent, total)
                    last = sent
                }
            })
    }
}
