// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostWire

// Calls about single messages. Each needs a connection unless it says otherwise, and throws
// `.connectionRequired` without one.

extension ChatClient {
    // MARK: History

    /// Returns the messages around a message from the server, oldest first.
    ///
    /// The cache neither answers the call nor learns from it.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - message: The message; it need not match the filter.
    ///   - older: The number of messages before it, 0...200.
    ///   - newer: The number of messages after it, 0...200.
    ///   - includesMessage: Whether the message itself is included, beside both numbers.
    ///   - filter: The selection of messages.
    /// - Returns: The messages.
    /// - Throws: `.connectionRequired`, a network error, or the server's refusal.
    public func fetchMessages(
        of channel: ChannelURL, around message: MessageID, older: Int = 0, newer: Int = 0,
        includesMessage: Bool = false, filter: MessageFilter = MessageFilter()
    ) async throws(RoostError) -> [Message] {
        try await ask(
            ListMessages(
                channelURL: channel, anchor: .message(message), previousLimit: older,
                nextLimit: newer, includesAnchor: includesMessage, filter: filter)
        ).messages
    }

    // MARK: Pinned messages

    /// Returns a page of a channel's pinned messages, newest pin first.
    ///
    /// The pins are those of the cached channel; the server returns the messages. Pins of deleted
    /// messages are skipped.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - pageSize: The size of the page, at least 1.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func pinnedMessages(
        of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<Message> {
        // A token is the rest of the pins, because pins may go between two pages.
        let rest = token?.split(separator: ",").compactMap { Int64($0) }.map { MessageID($0) }
        let present = try await self.channel(channel).pinnedMessageIDs
        let pins = rest.map { $0.filter(Set(present).contains) } ?? present
        let page = pins.prefix(max(pageSize, 1))
        var messages: [Message] = []
        for pin in page {
            do throws(RoostError) {
                messages.append(try await fetchMessage(pin, in: channel))
            } catch  where error.code == .messageNotFound || error.code == .notFound {
                continue
            }
        }
        let next = pins.dropFirst(page.count).map { String($0.rawValue) }.joined(separator: ",")
        return Page(messages, next: next.isEmpty ? nil : next)
    }

    // MARK: Meta arrays

    /// Adds texts to the meta arrays of the user's own message; missing lists are created.
    ///
    /// A text that a list has already is not added twice. The cache gets the change as an event.
    ///
    /// - Parameters:
    ///   - arrays: The lists with the texts to be added; a new list may be empty.
    ///   - message: The message.
    ///   - channel: The channel of the message.
    /// - Returns: The changed message.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func addMetaArrays(
        _ arrays: [MetaArray], to message: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await change(.add(arrays), of: message, in: channel)
    }

    /// Removes texts from the meta arrays of the user's own message.
    ///
    /// - Parameters:
    ///   - arrays: The lists with the texts to be removed; without texts, the whole list.
    ///   - message: The message.
    ///   - channel: The channel of the message.
    /// - Returns: The changed message.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func removeMetaArrayTexts(
        _ arrays: [MetaArray], from message: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await change(.removeTexts(arrays), of: message, in: channel)
    }

    /// Removes whole meta arrays of the user's own message by their keys.
    ///
    /// - Parameters:
    ///   - keys: The keys of the lists.
    ///   - message: The message.
    ///   - channel: The channel of the message.
    /// - Returns: The changed message.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func removeMetaArrays(
        _ keys: [String], from message: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await change(.removeLists(keys), of: message, in: channel)
    }

    private func change(
        _ change: MetaArrayQuestion.Change, of message: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await inTime { () throws(RoostError) in
            _ = try await self.ask(
                MetaArrayQuestion(channelURL: channel, messageID: message, change: change))
            return try await self.fetchMessage(message, in: channel)
        }
    }

    // MARK: Uploads

    /// Cancels a message whose files wait or are being uploaded; works without a connection.
    ///
    /// - Returns: Whether there was such a message; false once all its files are uploaded.
    @discardableResult
    public func cancelUpload(_ requestID: RequestID) async -> Bool {
        guard await engine.read({ $0.outbox.isUploading(requestID) }) else { return false }
        await cancel(requestID)
        return true
    }
}
