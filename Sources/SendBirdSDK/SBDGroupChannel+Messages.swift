// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

extension SBDGroupChannel {
    /// Sends a text, and returns at once the pending message.
    ///
    /// The message is kept until the server has it. Without a connection the handler gets an error
    /// and the pending message, which is sent with the next connection.
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

    /// Sends a file, and returns at once the pending message.
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

    /// Edits the user's own message; without a connection the change and the handler wait.
    public func updateUserMessage(
        withMessageId messageId: Int64, userMessageParams params: SBDUserMessageParams,
        completionHandler: ((SBDUserMessage?, SBDError?) -> Void)? = nil
    ) {
        SBDMain.door.edit(
            MessageID(messageId), in: value.url, params.edit,
            then: .answer(completionHandler) { SBDUserMessage($0) })
    }

    /// Deletes a message for everybody; an unsent message is canceled.
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

    /// Fetches the messages around a time, as the parameters select them.
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

    /// The handler of one page of a channel's message change log.
    ///
    /// `token` is the start of the next page, if `hasMore` is true, and of the next query
    /// otherwise.
    public typealias MessageChangeLogsHandler = (
        _ updatedMessages: [SBDBaseMessage]?, _ deletedMessageIds: [NSNumber]?,
        _ hasMore: Bool, _ token: String?, _ error: SBDError?
    ) -> Void

    /// Fetches the edits and deletions since the token of an earlier page.
    public func getMessageChangeLogs(
        sinceToken token: String?, params: SBDMessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), completionHandler)
    }

    /// Fetches the edits and deletions since a time of the server's clock, in milliseconds.
    public func getMessageChangeLogs(
        sinceTimestamp timestamp: Int64, params: SBDMessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), completionHandler)
    }

    /// Fetches the edits and deletions since the token of an earlier page.
    @available(*, deprecated, renamed: "getMessageChangeLogs(sinceToken:params:completionHandler:)")
    public func getMessageChangeLogs(
        withToken token: String?, completionHandler: MessageChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), completionHandler)
    }

    /// Fetches the edits and deletions since a time of the server's clock, in milliseconds.
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
