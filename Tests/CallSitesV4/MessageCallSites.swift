// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

import Foundation
import SendbirdChatSDK

// Calls as apps for the v4 SDK write them: the channel's screen, messages, files and threads.

extension AppCallSites.Screen {
    func channelScreen(url: String, channel: GroupChannel, base: BaseChannel, message: BaseMessage) -> MessageCollection {
GroupChannel.getChannel(url: url) { channel, error in use(channel) }  // 34
let params = MessageListParams(); params.replyType = .all; params.includeThreadInfo = true; params.previousResultSize = 20  // 35
params.customType = "pinned"; params.senderUserIds = nil  // 36
let copy = params.copy() as? MessageListParams ?? MessageListParams()  // 37
let collection = SendbirdChat.createMessageCollection(channel: channel, startingPoint: .max, params: params)  // 38
collection.delegate = self  // 39
collection.startCollection(initPolicy: .cacheAndReplaceByApi, cacheResultHandler: { messages, error in use(messages) }, apiResultHandler: { messages, error in use(messages) })  // 40
if collection.hasNext { collection.loadNext { messages, error in use(messages) } }  // 41
collection.removeFailed(messages: collection.failedMessages, completionHandler: nil)  // 42
channel.markAsRead { error in use(error) }  // 43
channel.startTyping(); channel.endTyping()  // 44
let typists = channel.getTypingUsers()?.map { $0.nickname } ?? []  // 45
channel.refresh { error in use(error) }  // 46
base.getMessagesByTimestamp(.max, params: params) { messages, error in use(messages) }  // 47
base.getMessageChangeLogs(token: nil, params: MessageChangeLogsParams()) { updated, deleted, hasMore, next, error in use(hasMore) }  // 48
if let arrays = message.metaArrays { use(arrays.count) }  // 49
        use(copy === params ? "the same" : "a copy of \(copy.previousResultSize)")  // 37
        use(typists)  // 45
        return collection
    }

    func sending(text: String, channel: GroupChannel, base: BaseChannel, users: [User]) {
let pending = channel.sendUserMessage(text) { message, error in use(message?.messageId) }  // 50
let outgoing = UserMessageCreateParams(message: text); outgoing.customType = "note"; outgoing.mentionedUserIds = users.map { $0.userId }  // 51
base.sendUserMessage(params: outgoing) { message, error in use(error) }  // 52
        use(pending.sendingStatus)  // 50
    }

    func resending(channel: GroupChannel, failed: UserMessage) {
channel.resendUserMessage(failed) { message, error in use(message) }  // 53
    }

    func editing(text: String, channel: GroupChannel, userMessage: UserMessage) {
channel.updateUserMessage(messageId: userMessage.messageId, params: UserMessageUpdateParams(message: text)) { message, error in use(message) }  // 54
    }

    func reaction(channel: GroupChannel, message: BaseMessage) {
channel.addReaction(with: message, key: "heart") { event, error in if let event = event { message.apply(event) } }  // 56
switch message.sendingStatus { case .pending: use(0); case .failed, .canceled: use(1); case .scheduled: use(2); default: use(3) }  // 57
    }

    func deletion(channel: GroupChannel, message: BaseMessage) {
channel.deleteMessage(message) { error in use(error) }  // 55
    }

    func files(data: Data, channel: GroupChannel) {
let file = FileMessageCreateParams(file: data); file.fileName = "a.jpg"; file.mimeType = "image/jpeg"; file.fileSize = UInt(data.count)  // 58
file.thumbnailSizes = [.make(maxWidth: 320.0, maxHeight: 320.0)]  // 59
let sending = channel.sendFileMessage(params: file) { message, error in use(message?.url) }  // 60
use(sending?.requestId)  // 61
channel.sendFileMessage(params: file, progressHandler: { requestId, sent, total, expected in use(total) }, completionHandler: { message, error in use(message) })  // 62
    }

    func file(data: Data, channel: GroupChannel, fileMessage: FileMessage, requestId: String) {
channel.resendFileMessage(fileMessage, binaryData: data) { message, error in use(message) }  // 63
GroupChannel.cancelUploadingFileMessage(requestId: requestId) { done, error in use(done) }  // 64
use(fileMessage.thumbnails?.first?.url)  // 65
    }

    func reply(text: String, message: BaseMessage) -> UserMessageCreateParams {
let reply = UserMessageCreateParams(message: text); reply.parentMessageId = message.messageId  // 66
        return reply
    }

    func thread(channel: GroupChannel, message: BaseMessage) {
let lookup = MessageRetrievalParams(); lookup.messageId = message.messageId; lookup.channelURL = channel.channelURL; lookup.channelType = .group  // 67
BaseMessage.getMessage(params: lookup) { message, error in use(message) }  // 68
message.getThreadedMessages(timestamp: .max, params: ThreadedMessageListParams()) { parent, replies, error in use(replies) }  // 69
use(message.threadInfo.replyCount)  // 70
    }
}

func messageBelongs(_ message: BaseMessage, to params: MessageListParams) -> Bool { params.belongsTo(message) }  // 95
func isForbidden(_ error: SBError) -> Bool { error.code == ChatError.nonAuthorized.rawValue }  // 96
func mistake() -> SBError { ChatError.invalidParameter.asSBError }  // 97
func isLive(_ context: MessageContext) -> Bool { context.fromEvent && context.source == .eventMessageReceived }  // 98
