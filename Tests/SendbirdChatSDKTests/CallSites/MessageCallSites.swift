// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK

// Calls as apps for the v4 SDK make them. They only have to compile; the numbers are those of the
// reference, section 11.

private typealias Channel = SendbirdChatSDK.GroupChannel

private func use<Value>(_ value: Value) {}

/// A screen as an app has it.
private final class Screen {
    func channelScreen(
        url: String, channel: Channel, base: BaseChannel, message: BaseMessage
    ) {
        Channel.getChannel(url: url) { channel, error in use(channel) }  // 34
        let params = MessageListParams()  // 35
        params.replyType = .all
        params.includeThreadInfo = true
        params.previousResultSize = 20
        params.customType = "pinned"  // 36
        params.senderUserIds = nil
        let copy = params.copy() as? MessageListParams ?? MessageListParams()  // 37
        use(copy)
        let collection = SendbirdChat.createMessageCollection(
            channel: channel, startingPoint: .max, params: params)  // 38
        collection.delegate = self  // 39
        collection.startCollection(
            initPolicy: .cacheAndReplaceByApi,
            cacheResultHandler: { messages, error in use(messages) },
            apiResultHandler: { messages, error in use(messages) })  // 40
        if collection.hasNext { collection.loadNext { messages, error in use(messages) } }  // 41
        collection.removeFailed(
            messages: collection.failedMessages, completionHandler: nil)  // 42
        channel.markAsRead { error in use(error) }  // 43
        channel.startTyping()  // 44
        channel.endTyping()
        base.getMessagesByTimestamp(.max, params: params) { messages, error in
            use(messages)  // 47
        }
        base.getMessageChangeLogs(token: nil, params: MessageChangeLogsParams()) {
            updated, deleted, hasMore, next, error in use(hasMore)  // 48
        }
        if let arrays = message.metaArrays { use(arrays.count) }  // 49
    }

    func sending(
        text: String, channel: Channel, base: BaseChannel, message: BaseMessage,
        userMessage: UserMessage, failed: UserMessage, users: [SendbirdChatSDK.User]
    ) {
        let pending = channel.sendUserMessage(text) { message, error in
            use(message?.messageId)  // 50
        }
        use(pending)
        let outgoing = UserMessageCreateParams(message: text)  // 51
        outgoing.customType = "note"
        outgoing.mentionedUserIds = users.map { $0.userId }
        base.sendUserMessage(params: outgoing) { message, error in use(error) }  // 52
        channel.resendUserMessage(failed) { message, error in use(message) }  // 53
        channel.updateUserMessage(
            messageId: userMessage.messageId, params: UserMessageUpdateParams(message: text)
        ) { message, error in use(message) }  // 54
        channel.deleteMessage(message) { error in use(error) }  // 55
        channel.addReaction(with: message, key: "heart") { event, error in
            if let event = event { message.apply(event) }  // 56
        }
        switch message.sendingStatus {  // 57
        case .pending: use(0)
        case .failed, .canceled: use(1)
        case .scheduled: use(2)
        default: use(3)
        }
    }

    func files(data: Data, channel: Channel, fileMessage: FileMessage, requestId: String) {
        let file = FileMessageCreateParams(file: data)  // 58
        file.fileName = "a.jpg"
        file.mimeType = "image/jpeg"
        file.fileSize = UInt(data.count)
        file.thumbnailSizes = [.make(maxWidth: 320.0, maxHeight: 320.0)]  // 59
        let sending = channel.sendFileMessage(params: file) { message, error in
            use(message?.url)  // 60
        }
        use(sending?.requestId)  // 61
        channel.sendFileMessage(
            params: file, progressHandler: { requestId, sent, total, expected in use(total) },
            completionHandler: { message, error in use(message) })  // 62
        channel.resendFileMessage(fileMessage, binaryData: data) { message, error in
            use(message)  // 63
        }
        Channel.cancelUploadingFileMessage(requestId: requestId) { done, error in
            use(done)  // 64
        }
        use(fileMessage.thumbnails?.first?.url)  // 65
    }

    func threads(text: String, channel: Channel, message: BaseMessage) {
        let reply = UserMessageCreateParams(message: text)  // 66
        reply.parentMessageId = message.messageId
        let lookup = MessageRetrievalParams()  // 67
        lookup.messageId = message.messageId
        lookup.channelURL = channel.channelURL
        lookup.channelType = .group
        BaseMessage.getMessage(params: lookup) { message, error in use(message) }  // 68
        message.getThreadedMessages(timestamp: .max, params: ThreadedMessageListParams()) {
            parent, replies, error in use(replies)  // 69
        }
        use(message.threadInfo.replyCount)  // 70
    }
}

extension Screen: MessageCollectionDelegate {
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext,
        channel: SendbirdChatSDK.GroupChannel, addedMessages: [BaseMessage]
    ) {}  // 86
    func messageCollection(
        _ collection: MessageCollection, channelContext: ChannelContext,
        updatedChannel channel: SendbirdChatSDK.GroupChannel
    ) {}  // 87
    func messageCollection(
        _ collection: MessageCollection, channelContext: ChannelContext,
        deletedChannel channelURL: String
    ) {}  // 88
    func didDetectHugeGap(_ collection: MessageCollection) { collection.dispose() }  // 89
}

private func messageBelongs(_ message: BaseMessage, to params: MessageListParams) -> Bool {
    params.belongsTo(message)  // 95
}

private func isForbidden(_ error: SBError) -> Bool {
    error.code == ChatError.nonAuthorized.rawValue  // 96
}

private func mistake() -> SBError { ChatError.invalidParameter.asSBError }  // 97

private func isLive(_ context: MessageContext) -> Bool {
    context.fromEvent && context.source == .eventMessageReceived  // 98
}

/// The other names that apps use of messages, beyond the numbered calls.
private func names(
    _ channel: SendbirdChatSDK.GroupChannel, _ base: BaseChannel, _ data: Data,
    _ text: UserMessage, _ file: FileMessage, _ files: MultipleFilesMessage
) {
    let progress: MultiProgressHandler = { requestId, sent, total, expected in use(requestId) }
    let users: UserMessageHandler = { message, error in use(message?.message) }
    let params = FileMessageCreateParams()
    params.file = data
    let sending: [FileMessage] = base.sendFileMessages(
        params: [params], progressHandler: progress,
        sentMessageHandler: { message, error in use(message) },
        completionHandler: { error in use(error) })
    use(sending)
    let first = UploadableFileInfo(file: data)
    first.thumbnailSizes = [.make(maxSize: CGSize(width: 1, height: 1))]
    let several = MultipleFilesMessageCreateParams(
        uploadableFileInfoList: [first, UploadableFileInfo(fileURL: "https://a.example/b")])
    channel.sendMultipleFilesMessage(
        params: several, fileUploadHandler: { requestId, index, info, error in use(index) },
        completionHandler: { message, error in use(message?.files.first?.fileName) })
    channel.resendMultipleFilesMessage(
        files, fileUploadHandler: nil, completionHandler: { message, error in use(error) })
    base.resendFileMessage(
        file, binaryData: data, progressHandler: progress,
        completionHandler: { message, error in use(error) })
    base.copyUserMessage(text, toTargetChannel: channel, completionHandler: users)
    base.copyFileMessage(file, toTargetChannel: channel) { message, error in use(message?.url) }
    base.updateFileMessage(messageId: 1, params: FileMessageUpdateParams()) { _, _ in }
    base.getMessagesByMessageId(1, params: MessageListParams()) { messages, _ in use(messages) }
    base.getMessageChangeLogs(timestamp: 1) { _, deleted, _, _, _ in use(deleted?.first) }
    let query = base.createPreviousMessageListQuery { $0.limit = 10 }
    query?.loadNextPage { messages, error in use(messages?.first?.createdAt) }
    base.pinMessage(messageId: text.messageId) { error in use(error) }
    base.unpinMessage(messageId: text.messageId) { error in use(error) }
    base.createMessageMetaArrayKeys(message: text, keys: ["a"]) { message, _ in use(message) }
    base.addMessageMetaArrayValues(message: text, keyValues: ["a": ["b"]]) { _, error in
        use(error?.errorCode == .serverOverloaded)
    }
    let context = MessageContext(source: .eventMessageSent, sendingStatus: .succeeded)
    use(context.fromEvent)
    use(text.ogMetaData?.defaultImage?.width)
    use(text.parentMessage?.message)
    use(text.isResendable())
    use((text.messageParams as? UserMessageCreateParams)?.mentionedMessageTemplate)
    use(text.reactions.first?.hasCurrentUserReacted)
    use(SBError(domain: "app", code: 1, userInfo: nil).localizedDescription)
    use(ChatError.invalidParameter.asSBError(message: "no"))
    use(UserMessage.build(fromSerializedData: text.serialize())?.message)
}
