// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostWire

// Without a connection the handler gets the message and an error. With local caching and
// `LocalCacheConfig.enableAutoResend` the message is pending and is sent later; its outcome goes to
// the collections (R138, R142, R143). Otherwise it has failed, as a message for an open channel
// always does.

extension BaseChannel {
    // MARK: Texts

    /// Sends a text, and returns at once the pending message.
    ///
    /// Parameters that cannot be honoured give a failed message without a request ID.
    @discardableResult
    public func sendUserMessage(
        params: UserMessageCreateParams, completionHandler: UserMessageHandler? = nil
    ) -> UserMessage {
        UserMessage(
            send(
                params.value, refusal: params.message.isEmpty ? .noText : params.refusal,
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

    /// Sends a failed text again, under the same request ID.
    @discardableResult
    public func resendUserMessage(
        _ message: UserMessage, completionHandler: UserMessageHandler? = nil
    ) -> UserMessage {
        UserMessage(
            resend(message.value, then: .sent(completionHandler) { UserMessage($0) }))
    }

    /// Sends a copy of a text to a channel, and returns at once the pending message.
    ///
    /// The copy is a new message of the user, outside of threads. A message that the server does
    /// not have gives `ChatError.invalidParameter`.
    @discardableResult
    public func copyUserMessage(
        _ message: UserMessage, toTargetChannel targetChannel: BaseChannel,
        completionHandler: UserMessageHandler? = nil
    ) -> UserMessage {
        let original = MessageParams.user(UserMessageParams(text: message.message))
        return UserMessage(
            targetChannel.send(
                message.copyParams ?? original, refusal: message.copyRefusal,
                then: .sent(completionHandler) { UserMessage($0) }))
    }

    /// Not supported: the handler gets `ChatError.notSupported`.
    public func translateUserMessage(
        _ message: UserMessage, targetLanguages: [String],
        completionHandler: UserMessageHandler? = nil
    ) {
        SendbirdChat.door.notify(
            .answer(completionHandler) { UserMessage($0) },
            .failure(.unsupported("The server translates no messages.")))
    }

    // MARK: Files

    /// Sends a file, and returns at once the pending message; nil without a file.
    @discardableResult
    public func sendFileMessage(
        params: FileMessageCreateParams, completionHandler: FileMessageHandler? = nil
    ) -> FileMessage? {
        sendFileMessage(
            params: params, progressHandler: nil, completionHandler: completionHandler)
    }

    /// Sends a file, and returns at once the pending message; reports the progress of the upload.
    @discardableResult
    public func sendFileMessage(
        params: FileMessageCreateParams, progressHandler: MultiProgressHandler?,
        completionHandler: FileMessageHandler? = nil
    ) -> FileMessage? {
        let message = FileMessage(
            send(
                params.value, refusal: params.isEmpty ? .noFile : params.refusal,
                progress: .progress(progressHandler),
                then: .sent(completionHandler) { FileMessage($0) }))
        return params.isEmpty ? nil : message
    }

    /// Sends files, each as a message of its own, and returns at once the pending messages.
    ///
    /// - Parameters:
    ///   - params: The files; those without a file are not among the returned messages.
    ///   - progressHandler: The handler of the progress of each upload.
    ///   - sentMessageHandler: The handler of the outcome of each message.
    ///   - completionHandler: The handler of the end, with the error of the first failed message.
    /// - Returns: The pending messages.
    @discardableResult
    public func sendFileMessages(
        params: [FileMessageCreateParams], progressHandler: MultiProgressHandler? = nil,
        sentMessageHandler: FileMessageHandler? = nil, completionHandler: SBErrorHandler? = nil
    ) -> [FileMessage] {
        guard !params.isEmpty else {
            SendbirdChat.door.notify(.error(completionHandler), nil)
            return []
        }
        // The handlers run one after another, so they may count.
        var (left, failure): (Int, SBError?) = (params.count, nil)
        let handler: FileMessageHandler = { message, error in
            sentMessageHandler?(message, error)
            failure = failure ?? error
            left -= 1
            if left == 0 { completionHandler?(failure) }
        }
        return params.compactMap {
            sendFileMessage(
                params: $0, progressHandler: progressHandler, completionHandler: handler)
        }
    }

    /// Sends a failed file again, under the same request ID; an uploaded file is not uploaded
    /// again.
    ///
    /// The outbox has kept the file, so `binaryData` is not needed.
    @discardableResult
    public func resendFileMessage(
        _ message: FileMessage, binaryData: Data? = nil,
        completionHandler: FileMessageHandler? = nil
    ) -> FileMessage? {
        resendFileMessage(
            message, binaryData: binaryData, progressHandler: nil,
            completionHandler: completionHandler)
    }

    /// Sends a failed file again, under the same request ID; reports the progress of the upload.
    ///
    /// The outbox has kept the file, so `binaryData` is not needed.
    @discardableResult
    public func resendFileMessage(
        _ message: FileMessage, binaryData: Data? = nil, progressHandler: MultiProgressHandler?,
        completionHandler: FileMessageHandler? = nil
    ) -> FileMessage? {
        FileMessage(
            resend(
                message.value, progress: .progress(progressHandler),
                then: .sent(completionHandler) { FileMessage($0) }))
    }

    /// Sends a copy of a file to a channel, and returns at once the pending message.
    ///
    /// The copy is a new message of the user, outside of threads; the file is not uploaded again. A
    /// message that the server does not have gives `ChatError.invalidParameter`.
    @discardableResult
    public func copyFileMessage(
        _ message: FileMessage, toTargetChannel targetChannel: BaseChannel,
        completionHandler: FileMessageHandler? = nil
    ) -> FileMessage? {
        FileMessage(
            targetChannel.send(
                message.copyParams ?? .file(FileMessageParams(files: [])),
                refusal: message.copyRefusal,
                then: .sent(completionHandler) { FileMessage($0) }))
    }

    /// Sends a copy of a message with several files to a channel, as `copyFileMessage` does.
    @discardableResult
    public func copyMultipleFilesMessage(
        _ message: MultipleFilesMessage, toTargetChannel targetChannel: BaseChannel,
        completionHandler: MultipleFilesMessageHandler? = nil
    ) -> MultipleFilesMessage? {
        MultipleFilesMessage(
            targetChannel.send(
                message.copyParams ?? .file(FileMessageParams(files: [])),
                refusal: message.copyRefusal,
                then: .sent(completionHandler) { MultipleFilesMessage($0) }))
    }

    /// Cancels a message whose files wait or are being uploaded.
    ///
    /// The handler gets whether there was such a message; without one, also
    /// `ChatError.fileUploadCancelFailed`.
    public class func cancelUploadingFileMessage(
        requestId: String, completionHandler: ((_ isCanceled: Bool, SBError?) -> Void)? = nil
    ) {
        let callback = Callback<Result<Void, RoostError>>.done(
            completionHandler.map { handler in { error in handler(error == nil, error) } })
        SendbirdChat.door.performInOrder(then: callback) { client throws(RoostError) in
            guard await client.cancelUpload(RequestID(requestId)) else { throw .noUpload }
        }
    }

    /// Cancels an unsent message of any kind; a message being sent may arrive all the same.
    public func cancelPendingMessage(
        requestId: String, completionHandler: SBErrorHandler? = nil
    ) {
        SendbirdChat.door.performInOrder(then: .done(completionHandler)) {
            client throws(RoostError) in
            await client.cancel(RequestID(requestId))
        }
    }

    // MARK: All kinds

    /// Sends a message to this channel, or refuses it.
    func send(
        _ params: MessageParams, refusal: RoostError?, progress: Callback<UploadStep> = .none,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        let openRefusal = isOpenChannel() && params.isPinned ? RoostError.notForOpenChannels : nil
        return SendbirdChat.door.send(
            params, to: address, refusal: refusal ?? openRefusal, progress: progress,
            then: callback)
    }

    /// Sends a failed message again, under the same request ID.
    fileprivate func resend(
        _ message: Message, progress: Callback<UploadStep> = .none,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        SendbirdChat.door.resend(message, to: address, progress: progress, then: callback)
    }
}

extension MessageParams {
    /// Whether the server pins the message.
    fileprivate var isPinned: Bool {
        switch self {
        case .user(let params): params.extraFields.contains(.pinned)
        case .file(let params): params.extraFields.contains(.pinned)
        }
    }
}

extension GroupChannel {
    /// Sends several files as one message, and returns at once the pending message.
    ///
    /// - Parameters:
    ///   - params: The files, at least two; fewer give `ChatError.invalidParameter` and nil.
    ///   - fileUploadHandler: The handler of each file, once the server has it; also of the file
    ///     whose upload has failed.
    ///   - completionHandler: The handler of the outcome.
    /// - Returns: The pending message; nil for fewer than two files.
    @discardableResult
    public func sendMultipleFilesMessage(
        params: MultipleFilesMessageCreateParams, fileUploadHandler: FileUploadHandler?,
        completionHandler: MultipleFilesMessageHandler? = nil
    ) -> MultipleFilesMessage? {
        let files = params.uploadableFileInfoList
        let refusal = files.count < 2 ? RoostError.tooFewFiles : params.refusal
        let uploads = FileUploads(files, fileUploadHandler)
        let message = send(
            params.value, refusal: refusal, progress: uploads.progress,
            then: .sent(uploads.outcome(completionHandler)) { MultipleFilesMessage($0) })
        return files.count < 2 ? nil : MultipleFilesMessage(message)
    }

    /// Sends a failed message with several files again, under the same request ID; uploaded files
    /// are not uploaded again.
    @discardableResult
    public func resendMultipleFilesMessage(
        _ message: MultipleFilesMessage, fileUploadHandler: FileUploadHandler?,
        completionHandler: MultipleFilesMessageHandler? = nil
    ) -> MultipleFilesMessage? {
        let params = message.getMultipleFilesMessageParams()
        let uploads = FileUploads(params?.uploadableFileInfoList ?? [], fileUploadHandler)
        return MultipleFilesMessage(
            SendbirdChat.door.resend(
                message.value, progress: uploads.progress,
                then: .sent(uploads.outcome(completionHandler)) { MultipleFilesMessage($0) }))
    }
}
