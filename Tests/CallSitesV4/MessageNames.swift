// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK

private func use<Value>(_ value: Value) {}

/// The other names that apps use of messages, beyond the numbered calls.
private func names(
    _ channel: SendbirdChatSDK.GroupChannel, _ base: BaseChannel, _ data: Data,
    _ text: UserMessage, _ file: FileMessage, _ files: MultipleFilesMessage
) {
    let progress: MultiProgressHandler = { requestId, sent, total, expected in use(requestId) }
    let users: UserMessageHandler = { message, error in use(message?.message) }
    let room: OpenChannelHandler = { channel, error in use(channel?.participantCount) }
    let rooms: OpenChannelListHandler = { channels, error in use(channels?.first?.name) }
    let option: PollOptionHandler = { option, error in use(option?.text) }
    use((room, rooms, option))
    let collections: [BaseCollection] = [
        SendbirdChat.createMessageCollection(channel: channel)
    ]
    use(collections.first as? GroupChannelCollection)
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

/// The calls about an open channel without a handler.
private func visit(_ channel: OpenChannel) {
    channel.enter()
    channel.refresh()
    channel.update(params: OpenChannelUpdateParams())
    channel.exit()
    channel.delete()
}
