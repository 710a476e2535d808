// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import SendbirdChatSDK

extension SendbirdChatTests.Reentry {
    static func add(
        aboutMessagesTo table: CallTable, _ channel: Channel, _ message: UserMessage,
        _ file: FileMessage
    ) {
        add(sendingTo: table, channel, message, file)
        add(filesTo: table, channel, file)
        add(changesTo: table, channel, message, file)
        add(arraysTo: table, channel, message)
        add(historyTo: table, channel, message)
    }

    private static func add(
        sendingTo table: CallTable, _ channel: Channel, _ message: UserMessage,
        _ file: FileMessage
    ) {
        table.add("sendUserMessage") { called in
            channel.sendUserMessage("hi") { _, _ in called() }
        }
        table.add("sendUserMessage with params") { called in
            channel.sendUserMessage(params: UserMessageCreateParams(message: "hi")) { _, _ in
                called()
            }
        }
        table.add("sendFileMessage") { called in
            channel.sendFileMessage(params: FileMessageCreateParams(file: Data("x".utf8))) {
                _, _ in called()
            }
        }
        table.add("resendUserMessage") { called in
            channel.resendUserMessage(message) { _, _ in called() }
        }
        table.add("resendFileMessage") { called in
            channel.resendFileMessage(file) { _, _ in called() }
        }
        table.add("copyUserMessage") { called in
            channel.copyUserMessage(message, toTargetChannel: channel) { _, _ in called() }
        }
        table.add("copyFileMessage") { called in
            channel.copyFileMessage(file, toTargetChannel: channel) { _, _ in called() }
        }
        table.add("translateUserMessage") { called in
            channel.translateUserMessage(message, targetLanguages: ["de"]) { _, _ in called() }
        }
        table.add("cancelPendingMessage") { called in
            channel.cancelPendingMessage(requestId: "none") { _ in called() }
        }
    }

    private static func add(
        filesTo table: CallTable, _ channel: Channel, _ file: FileMessage
    ) {
        table.add("sendFileMessages") { called in
            let params = FileMessageCreateParams(file: Data("x".utf8))
            channel.sendFileMessages(params: [params], completionHandler: { _ in called() })
        }
        table.add("cancelUploadingFileMessage") { called in
            Channel.cancelUploadingFileMessage(requestId: "none") { _, _ in called() }
        }
        let files = MultipleFilesMessageCreateParams(uploadableFileInfoList: [
            UploadableFileInfo(fileURL: "https://files.example/a"),
            UploadableFileInfo(fileURL: "https://files.example/b"),
        ])
        table.add("sendMultipleFilesMessage") { called in
            channel.sendMultipleFilesMessage(params: files, fileUploadHandler: nil) { _, _ in
                called()
            }
        }
        table.add("resendMultipleFilesMessage") { called in
            // A message that has not failed gives an error.
            guard
                let sent = channel.sendMultipleFilesMessage(
                    params: files, fileUploadHandler: nil)
            else { return }
            channel.resendMultipleFilesMessage(sent, fileUploadHandler: nil) { _, _ in called() }
        }
        table.add("copyMultipleFilesMessage") { called in
            guard
                let sent = channel.sendMultipleFilesMessage(
                    params: files, fileUploadHandler: nil)
            else { return }
            channel.copyMultipleFilesMessage(sent, toTargetChannel: channel) { _, _ in called() }
        }
    }

    private static func add(
        changesTo table: CallTable, _ channel: Channel, _ message: UserMessage,
        _ file: FileMessage
    ) {
        table.add("updateUserMessage") { called in
            let params = UserMessageUpdateParams(message: "hello!")
            channel.updateUserMessage(messageId: message.messageId, params: params) { _, _ in
                called()
            }
        }
        table.add("updateFileMessage") { called in
            let params = FileMessageUpdateParams()
            params.data = "more"
            channel.updateFileMessage(messageId: file.messageId, params: params) { _, _ in
                called()
            }
        }
        table.add("deleteMessage") { called in
            channel.deleteMessage(messageId: 404) { _ in called() }
        }
        table.add("deleteMessage softly") { called in
            channel.deleteMessage(messageId: 404, hardDelete: false) { _ in called() }
        }
        table.add("deleteMessage of an object") { called in
            let preview = channel.sendUserMessage("never mind")
            channel.deleteMessage(preview) { _ in called() }
        }
        table.add("addReaction") { called in
            channel.addReaction(with: message, key: "👍") { _, _ in called() }
        }
        table.add("deleteReaction") { called in
            channel.deleteReaction(with: message, key: "👍") { _, _ in called() }
        }
        table.add("pinMessage") { called in
            channel.pinMessage(messageId: message.messageId) { _ in called() }
        }
        table.add("unpinMessage") { called in
            channel.unpinMessage(messageId: message.messageId) { _ in called() }
        }
    }

    private static func add(
        arraysTo table: CallTable, _ channel: Channel, _ message: UserMessage
    ) {
        let array = MessageMetaArray(key: "tags", value: ["a"])
        table.add("createMessageMetaArrayKeys") { called in
            channel.createMessageMetaArrayKeys(message: message, keys: ["k"]) { _, _ in called() }
        }
        table.add("deleteMessageMetaArrayKeys") { called in
            channel.deleteMessageMetaArrayKeys(message: message, keys: ["k"]) { _, _ in called() }
        }
        table.add("addMessageMetaArrayValues") { called in
            channel.addMessageMetaArrayValues(message: message, metaArrays: [array]) { _, _ in
                called()
            }
        }
        table.add("removeMessageMetaArrayValues") { called in
            channel.removeMessageMetaArrayValues(message: message, metaArrays: [array]) { _, _ in
                called()
            }
        }
    }

    private static func add(
        historyTo table: CallTable, _ channel: Channel, _ message: UserMessage
    ) {
        table.add("getMessagesByTimestamp") { called in
            channel.getMessagesByTimestamp(Int64.max, params: MessageListParams()) { _, _ in
                called()
            }
        }
        table.add("getMessagesByMessageId") { called in
            channel.getMessagesByMessageId(message.messageId, params: MessageListParams()) {
                _, _ in called()
            }
        }
        table.add("getMessageChangeLogs by token") { called in
            channel.getMessageChangeLogs(token: nil) { _, _, _, _, _ in called() }
        }
        table.add("getMessageChangeLogs by time") { called in
            channel.getMessageChangeLogs(timestamp: 1) { _, _, _, _, _ in called() }
        }
        table.add("getMessage") { called in
            let params = MessageRetrievalParams(
                channelURL: channel.channelURL, messageId: message.messageId)
            BaseMessage.getMessage(params: params) { _, _ in called() }
        }
        table.add("getThreadedMessages") { called in
            let params = ThreadedMessageListParams()
            params.previousResultSize = 5
            message.getThreadedMessages(timestamp: .max, params: params) { _, _, _ in called() }
        }
        table.add("loadNextPage of messages") { called in
            channel.createPreviousMessageListQuery()?.loadNextPage { _, _ in called() }
        }
        table.add("loadNextPage of a search") { called in
            SendbirdChat.createMessageSearchQuery { $0.keyword = "hello" }.loadNextPage { _, _ in
                called()
            }
        }
        table.add("loadNextPage of pins") { called in
            channel.createPinnedMessageListQuery()?.loadNextPage { _, _ in called() }
        }
    }
}
