// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostWire

// The server keeps scheduled messages and sends them. Each call needs a connection, and throws
// `.connectionRequired` without one. The cache has a scheduled message once it is sent.

extension ChatClient {
    // MARK: Scheduled messages

    /// Schedules a text for a later time.
    ///
    /// - Parameters:
    ///   - params: The properties of the message.
    ///   - channel: The channel.
    ///   - moment: The time of sending, in the future of the server's clock.
    /// - Returns: The scheduled message.
    /// - Throws: `.connectionRequired`, or the server's refusal. `.invalidParameter` for an empty
    ///   text.
    public func schedule(
        _ params: UserMessageParams, to channel: ChannelURL, at moment: Timestamp
    ) async throws(RoostError) -> ScheduledMessage {
        guard !params.text.isEmpty else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput, message: "A message needs some text.")
        }
        // With a request ID, a call that arrives twice makes one message.
        let command = MessageCommand(params, to: channel, as: .random(world.entropy))
        return try await ask(ScheduledRequest.create(command, at: moment))
    }

    /// Uploads files and schedules the message with them for a later time.
    ///
    /// The files are uploaded before the call returns; nothing of them is kept on this device.
    ///
    /// - Parameters:
    ///   - params: The properties of the message.
    ///   - channel: The channel.
    ///   - moment: The time of sending, in the future of the server's clock.
    /// - Returns: The scheduled message.
    /// - Throws: `.connectionRequired`, a failed upload, or the server's refusal.
    ///   `.invalidParameter` without a file, or if a file cannot be read.
    public func schedule(
        _ params: FileMessageParams, to channel: ChannelURL, at moment: Timestamp
    ) async throws(RoostError) -> ScheduledMessage {
        guard !params.files.isEmpty else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput, message: "A file message needs a file.")
        }
        var params = params
        for index in params.files.indices where params.files[index].url == nil {
            params.files[index] = try await uploaded(params.files[index], for: channel)
        }
        // With a request ID, a call that arrives twice makes one message.
        let command = MessageCommand(params, to: channel, as: .random(world.entropy))
        return try await ask(ScheduledRequest.create(command, at: moment))
    }

    /// Returns a scheduled message of the user, waiting or not.
    ///
    /// - Returns: The scheduled message with its state.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func scheduledMessage(
        _ id: ScheduledMessageID, in channel: ChannelURL
    ) async throws(RoostError) -> ScheduledMessage {
        try await ask(ScheduledRequest.get(id, in: channel))
    }

    /// Returns a page of the user's scheduled messages.
    ///
    /// - Parameters:
    ///   - query: The selection of messages and their order; by default the order of creation.
    ///   - pageSize: The greatest number of messages, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func scheduledMessages(
        _ query: ScheduledMessageQuery = ScheduledMessageQuery(), pageSize: Int = 20,
        after token: String? = nil
    ) async throws(RoostError) -> Page<ScheduledMessage> {
        let found = try await ask(ListScheduled(query: query, token: token, limit: pageSize))
        return Page(found.messages, next: found.next.isEmpty ? nil : found.next)
    }

    /// Returns the number of the user's scheduled messages.
    ///
    /// - Returns: The number.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func scheduledMessageCount(
        _ query: ScheduledMessageQuery = ScheduledMessageQuery()
    ) async throws(RoostError) -> Int {
        try await ask(CountScheduled(query: query))
    }

    /// Changes a scheduled message that waits.
    ///
    /// - Returns: The scheduled message as changed.
    /// - Throws: `.connectionRequired`, or the server's refusal, such as `.invalidValue` for a
    ///   message that no longer waits.
    @discardableResult
    public func updateScheduledMessage(
        _ id: ScheduledMessageID, in channel: ChannelURL, _ params: ScheduledMessageUpdateParams
    ) async throws(RoostError) -> ScheduledMessage {
        try await ask(ScheduledRequest.update(id, in: channel, params))
    }

    /// Cancels a scheduled message that waits.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func cancelScheduledMessage(
        _ id: ScheduledMessageID, in channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(CancelScheduled(id, in: channel))
    }

    /// Sends a scheduled message now instead of at its time.
    ///
    /// - Returns: The scheduled message: `.sent`, or `.failed` if the channel refused the message.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func sendScheduledMessage(
        _ id: ScheduledMessageID, in channel: ChannelURL
    ) async throws(RoostError) -> ScheduledMessage {
        try await ask(ScheduledRequest.send(id, in: channel))
    }
}
