// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

extension SBDGroupChannel {
    /// Sends a text, and returns at once what is to be shown of it.
    ///
    /// It is kept until the server has it: without a connection the handler gets an error and the pending
    /// message, which is sent when there is one.
    @discardableResult
    public func sendUserMessage(
        with params: SBDUserMessageParams,
        completionHandler: ((SBDUserMessage?, SBDError?) -> Void)? = nil
    ) -> SBDUserMessage {
        SBDUserMessage(
            SBDMain.door.send(
                .user(params.value), to: value.url,
                then: .sent(completionHandler) { SBDUserMessage($0) }))
    }

    /// Sends a file, and returns at once what is to be shown of it.
    @discardableResult
    public func sendFileMessage(
        with params: SBDFileMessageParams,
        completionHandler: ((SBDFileMessage?, SBDError?) -> Void)? = nil
    ) -> SBDFileMessage {
        SBDFileMessage(
            SBDMain.door.send(
                .file(params.value), to: value.url,
                then: .sent(completionHandler) { SBDFileMessage($0) }))
    }

    /// Sends a failed message again, under the same request ID.
    @discardableResult
    public func resendUserMessage(
        with message: SBDUserMessage,
        completionHandler: ((SBDUserMessage?, SBDError?) -> Void)? = nil
    ) -> SBDUserMessage {
        SBDUserMessage(
            SBDMain.door.resend(
                message.value, then: .sent(completionHandler) { SBDUserMessage($0) }))
    }

    /// Changes an own message; without a connection the change waits, and the handler with it.
    public func updateUserMessage(
        withMessageId messageId: Int64, userMessageParams params: SBDUserMessageParams,
        completionHandler: ((SBDUserMessage?, SBDError?) -> Void)? = nil
    ) {
        SBDMain.door.edit(
            MessageID(messageId), in: value.url, params.edit,
            then: .answer(completionHandler) { SBDUserMessage($0) })
    }

    /// Deletes a message for everybody; one that was not sent yet is taken back.
    public func delete(
        _ message: SBDBaseMessage, completionHandler: SBDErrorHandler? = nil
    ) {
        let url = value.url
        let target: MessageTarget =
            switch message.value.delivery {
            case .delivered(let id, _): .delivered(id)
            case .unsent(let id, _): .unsent(id)
            }
        SBDMain.door.change(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.delete(target, in: url)
        }
    }

    // MARK: For a database of the app's own; each needs a connection

    /// The messages around a time, as the params want them.
    public func getMessagesByTimestamp(
        _ timestamp: Int64, params: SBDMessageListParams,
        completionHandler: (([SBDBaseMessage]?, SBDError?) -> Void)?
    ) {
        let (url, filter, isReversed) = (value.url, params.filter, params.reverse)
        let (older, newer) = (params.previousResultSize, params.nextResultSize)
        let isInclusive = params.isInclusive
        let callback = Callback.answer(completionHandler) { (messages: [Message]) in
            let objects = messages.map { SBDBaseMessage.make($0) }
            return isReversed ? objects.reversed() : objects
        }
        SBDMain.door.perform(then: callback) { client throws(RoostError) in
            try await client.fetchMessages(
                of: url, around: Timestamp(milliseconds: timestamp), older: older, newer: newer,
                includesMoment: isInclusive, filter: filter)
        }
    }

    public typealias MessageChangeLogsHandler = (
        _ updatedMessages: [SBDBaseMessage]?, _ deletedMessageIds: [NSNumber]?,
        _ hasMore: Bool, _ token: String?, _ error: SBDError?
    ) -> Void

    /// What was edited and deleted since a token that an earlier answer gave.
    public func getMessageChangeLogs(
        sinceToken token: String?, params: SBDMessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), completionHandler)
    }

    /// What was edited and deleted since a time of the server's.
    public func getMessageChangeLogs(
        sinceTimestamp timestamp: Int64, params: SBDMessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), completionHandler)
    }

    @available(*, deprecated, renamed: "getMessageChangeLogs(sinceToken:params:completionHandler:)")
    public func getMessageChangeLogs(
        withToken token: String?, completionHandler: MessageChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), completionHandler)
    }

    @available(
        *, deprecated, renamed: "getMessageChangeLogs(sinceTimestamp:params:completionHandler:)"
    )
    public func getMessageChangeLogs(
        byTimestamp timestamp: Int64, completionHandler: MessageChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), completionHandler)
    }

    private func changes(_ start: ChangeLogStart, _ handler: MessageChangeLogsHandler?) {
        let url = value.url
        SBDMain.door.perform(
            then: .changes(
                handler, { SBDBaseMessage.make($0) },
                { (id: MessageID) in NSNumber(value: id.rawValue) },
                orElse: { SBDError($0) })
        ) { client throws(RoostError) in
            try await client.fetchMessageChanges(of: url, since: start)
        }
    }
}
