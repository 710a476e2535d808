// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

// The server keeps scheduled messages and sends them; each call needs a connection.

extension GroupChannel {
    // MARK: Scheduled messages

    /// Schedules a text for a later time.
    public func createScheduledUserMessage(
        params: ScheduledUserMessageCreateParams, completionHandler: UserMessageHandler? = nil
    ) {
        let (value, moment) = (params.value, Timestamp(milliseconds: params.scheduledAt))
        let unsupported = params.unsupported.map { "The property \($0) is not supported." }
        ask(.scheduled(completionHandler)) { client, url throws(RoostError) in
            if let unsupported { throw .unsupported(unsupported) }
            return try await client.schedule(value, to: url, at: moment)
        }
    }

    /// Uploads a file and schedules the message with it for a later time.
    public func createScheduledFileMessage(
        params: ScheduledFileMessageCreateParams, completionHandler: FileMessageHandler? = nil
    ) {
        let (value, moment) = (params.value, Timestamp(milliseconds: params.scheduledAt))
        let unsupported = params.unsupported.map { "The property \($0) is not supported." }
        ask(.scheduled(completionHandler)) { client, url throws(RoostError) in
            if let unsupported { throw .unsupported(unsupported) }
            guard let value else { throw .invalid("The parameters have no file.") }
            return try await client.schedule(value, to: url, at: moment)
        }
    }

    /// Changes the properties of a waiting text that the parameters name.
    public func updateScheduledUserMessage(
        scheduledMessageId: Int64, params: ScheduledUserMessageUpdateParams,
        completionHandler: UserMessageHandler? = nil
    ) {
        update(
            ScheduledMessageID(scheduledMessageId), params.value, as: .user,
            .scheduled(completionHandler))
    }

    /// Changes the properties of a waiting message with a file that the parameters name.
    public func updateScheduledFileMessage(
        scheduledMessageId: Int64, params: ScheduledFileMessageUpdateParams,
        completionHandler: FileMessageHandler? = nil
    ) {
        update(
            ScheduledMessageID(scheduledMessageId), params.value, as: .file,
            .scheduled(completionHandler))
    }

    private func update(
        _ id: ScheduledMessageID, _ params: ScheduledMessageUpdateParams, as kind: Door.EditedKind,
        _ callback: Callback<Result<ScheduledMessage, RoostError>>
    ) {
        ask(callback) { client, url throws(RoostError) in
            guard kind.matches(try await client.scheduledMessage(id, in: url).message) else {
                throw .otherKind
            }
            return try await client.updateScheduledMessage(id, in: url, params)
        }
    }

    /// Cancels a waiting message.
    public func cancelScheduledMessage(
        scheduledMessageId: Int64, completionHandler: SBErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.cancelScheduledMessage(
                ScheduledMessageID(scheduledMessageId), in: url)
        }
    }

    /// Sends a waiting message now instead of at its time; fails if the channel refuses it.
    public func sendScheduledMessageNow(
        scheduledMessageId: Int64, completionHandler: SBErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            let sent = try await client.sendScheduledMessage(
                ScheduledMessageID(scheduledMessageId), in: url)
            guard sent.status == .failed else { return }
            throw RoostError(
                sent.failureCode ?? .invalidValue, remedy: .none,
                message: "The channel refused the message.")
        }
    }
}

extension Callback where Value == Result<ScheduledMessage, RoostError> {
    /// Returns a handler that gets the message of a kind; nil for a message of another kind.
    fileprivate static func scheduled<Object: BaseMessage>(
        _ handler: ((Object?, SBError?) -> Void)?
    ) -> Self {
        answer(
            handler.map { handler in
                { (message: BaseMessage?, error) in handler(message as? Object, error) }
            }
        ) { BaseMessage.make($0.message) }
    }
}
