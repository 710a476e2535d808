// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostWire

// Open channels are live only: they have no cache, no outbox and no collection. Each call needs a
// connection, and throws `.connectionRequired` without one.

extension ChatClient {
    // MARK: Channels

    /// Creates an open channel.
    ///
    /// - Returns: The channel; the user is not inside it yet.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func createOpenChannel(
        _ params: OpenChannelCreateParams = OpenChannelCreateParams()
    ) async throws(RoostError) -> OpenChannel {
        try await ask(WriteOpenChannel.create(params))
    }

    /// Returns an open channel from the server.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func openChannel(_ channel: ChannelURL) async throws(RoostError) -> OpenChannel {
        try await ask(GetOpenChannel(channelURL: channel))
    }

    /// Returns a page of the application's open channels from the server.
    ///
    /// - Parameters:
    ///   - query: The selection of channels.
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func openChannels(
        _ query: OpenChannelQuery = OpenChannelQuery(), pageSize: Int = 20,
        after token: String? = nil
    ) async throws(RoostError) -> Page<OpenChannel> {
        try await ask(ListOpenChannels(query, limit: pageSize, token: token))
    }

    /// Changes properties of an open channel; permitted to operators only.
    ///
    /// - Returns: The channel as changed.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func updateOpenChannel(
        _ channel: ChannelURL, _ params: OpenChannelUpdateParams
    ) async throws(RoostError) -> OpenChannel {
        try await ask(WriteOpenChannel.update(channel, params))
    }

    /// Deletes an open channel for all users; permitted to operators only.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteOpenChannel(_ channel: ChannelURL) async throws(RoostError) {
        _ = try await ask(InOpenChannel(ChannelRequest.delete(channel)))
    }

    // MARK: Entering

    /// Enters an open channel, whose live events then come in `events()` as
    /// `ChatEvent.openChannel`.
    ///
    /// The place ends with the connection. The client enters the channel again after each
    /// reconnection, until `exit(_:)`. Events of the absence are lost, so each return is announced
    /// by `.channelChanged` of the channel: fetch its messages again then.
    ///
    /// - Returns: The channel with the user inside.
    /// - Throws: `.connectionRequired`. `.ackTimeout` after eight seconds without the answers to
    ///   the entry and the look-up of the channel; the entry is taken back then. `.requestCanceled`
    ///   if `exit(_:)` was called meanwhile. Otherwise the server's refusal, such as that of a
    ///   banned user.
    @discardableResult
    public func enter(_ channel: ChannelURL) async throws(RoostError) -> OpenChannel {
        try await engine.run(.roomEntry(RoomEntry(channel)), \.openChannel)
    }

    /// Leaves an open channel, whose events end at once.
    ///
    /// - Throws: `.connectionRequired`; the client does not return to the channel then either.
    ///   `.ackTimeout` after eight seconds without an answer. Otherwise the server's refusal.
    public func exit(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.run(.roomExit(RoomExit(channel)))
    }

    /// Returns the open channels that the user has entered, as of the newest event, ordered by URL.
    ///
    /// Works without a connection.
    public func enteredOpenChannels() async -> [OpenChannel] {
        await engine.read { $0.rooms.entered.values.sorted { $0.url < $1.url } }
    }

    /// Returns a page of the users who are inside an open channel.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func participants(
        ofOpenChannel channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> {
        try await ask(ListParticipants(channelURL: channel, limit: pageSize, token: token))
    }

    // MARK: Messages

    /// Returns the messages of an open channel around a moment, oldest first.
    ///
    /// - Parameters:
    ///   - channel: The channel; the user need not be inside.
    ///   - moment: A time of the server's clock; messages with exactly this time are returned all
    ///     or not at all.
    ///   - older: The number of messages before the moment, 0...200.
    ///   - newer: The number of messages after it, 0...200.
    ///   - includesMoment: Whether messages with exactly this time are included, beside both
    ///     numbers.
    ///   - filter: The selection of messages.
    /// - Returns: The messages.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func fetchMessages(
        ofOpenChannel channel: ChannelURL, around moment: Timestamp, older: Int = 0,
        newer: Int = 0, includesMoment: Bool = false, filter: MessageFilter = MessageFilter()
    ) async throws(RoostError) -> [Message] {
        try await ask(
            InOpenChannel(
                ListMessages(
                    channelURL: channel, anchor: .time(moment), previousLimit: older,
                    nextLimit: newer, includesAnchor: includesMoment, filter: filter))
        ).messages
    }

    /// Returns the messages of an open channel around a message, oldest first.
    ///
    /// - Parameters:
    ///   - channel: The channel; the user need not be inside.
    ///   - message: The message; it need not match the filter.
    ///   - older: The number of messages before it, 0...200.
    ///   - newer: The number of messages after it, 0...200.
    ///   - includesMessage: Whether the message itself is included, beside both numbers.
    ///   - filter: The selection of messages.
    /// - Returns: The messages.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func fetchMessages(
        ofOpenChannel channel: ChannelURL, around message: MessageID, older: Int = 0,
        newer: Int = 0, includesMessage: Bool = false, filter: MessageFilter = MessageFilter()
    ) async throws(RoostError) -> [Message] {
        try await ask(
            InOpenChannel(
                ListMessages(
                    channelURL: channel, anchor: .message(message), previousLimit: older,
                    nextLimit: newer, includesAnchor: includesMessage, filter: filter))
        ).messages
    }

    /// Returns a message of an open channel.
    ///
    /// - Throws: `.connectionRequired`, `.messageNotFound`, or another refusal of the server.
    public func fetchMessage(
        _ id: MessageID, inOpenChannel channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await ask(InOpenChannel(GetMessage(channelURL: channel, messageID: id)))
    }

    /// Needs a connection: sends a text message to an open channel that the user has entered.
    ///
    /// The message is not kept if the call fails: there is no outbox. After `.ackTimeout` or
    /// `.socketClosed` the server may have the message. A second call with the same request ID adds
    /// no second message.
    ///
    /// - Parameters:
    ///   - params: The content.
    ///   - channel: The channel.
    ///   - requestID: The request ID of an earlier call that has ended; nil makes a new one.
    /// - Returns: The message as the server has it.
    /// - Throws: `.connectionRequired`. `.ackTimeout` after eight seconds without an answer.
    ///   Otherwise the server's refusal, such as `.notAMember` outside of the channel.
    @discardableResult
    public func sendNow(
        _ params: UserMessageParams, toOpenChannel channel: ChannelURL,
        as requestID: RequestID? = nil
    ) async throws(RoostError) -> Message {
        let command = MessageCommand(params, to: channel, as: requestID)
        return try await engine.run(.roomMessage(RoomMessage(.new(command))), \.message)
    }

    /// Needs a connection: edits the user's own text message in an open channel.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - channel: The channel.
    ///   - edit: The fields to change.
    /// - Returns: The message as changed.
    /// - Throws: `.connectionRequired`. `.ackTimeout` after eight seconds without an answer; the
    ///   edit may count then. Otherwise the server's refusal.
    @discardableResult
    public func editNow(
        _ message: MessageID, inOpenChannel channel: ChannelURL, _ edit: MessageEdit
    ) async throws(RoostError) -> Message {
        let command = EditCommand(
            channelURL: channel, messageID: message, requestID: nil, text: edit.text,
            data: edit.data, customType: edit.customType, mentionKind: edit.mention?.kind,
            mentionedUserIDs: edit.mention?.userIDs, mentionTemplate: edit.mentionTemplate)
        return try await engine.run(.roomMessage(RoomMessage(.edit(command))), \.message)
    }

    /// Needs a connection: deletes a message of an open channel.
    ///
    /// Operators may delete messages of other users.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteNow(
        _ message: MessageID, inOpenChannel channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(
            InOpenChannel(DeleteMessage(channelURL: channel, messageID: message)))
    }
}
