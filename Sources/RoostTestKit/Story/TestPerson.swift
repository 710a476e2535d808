// SPDX-License-Identifier: Apache-2.0

public import Roost
import RoostModel
import RoostServer
import RoostWire
import Synchronization

/// A person who uses another app: each action takes effect at the server at once and without faults.
///
/// Devices of the world learn of an action as they learn of any other user's.
public struct TestPerson: Sendable {
    /// The key of the person's session, which all copies of the person share.
    private final class Session: Sendable {
        private let state: Mutex<String>

        init(key: String) { state = Mutex(key) }

        var key: String {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// The ID of the user.
    public let id: UserID
    private let world: SimulatedWorld
    private let session: Session

    init(_ id: UserID, _ world: SimulatedWorld, sessionKey: String) {
        self.id = id
        self.world = world
        session = Session(key: sessionKey)
    }

    /// Opens another session, after the end of the one before.
    func renewSession() async { session.key = await world.sessionKey(of: id) }

    // MARK: Channels

    /// Creates a channel with this person and others.
    ///
    /// - Parameters:
    ///   - others: The other members; the server registers unknown ones.
    ///   - name: The name of the channel.
    ///   - url: The URL; nil lets the server choose.
    ///   - operators: The members who may freeze and delete the channel.
    /// - Returns: The URL of the channel.
    /// - Throws: `TestFailure` if the server refuses, for instance a URL that exists.
    @discardableResult
    public func createChannel(
        with others: [UserID], name: String = "", url: ChannelURL? = nil,
        operators: [UserID] = []
    ) async throws(TestFailure) -> ChannelURL {
        await register(others)
        var call = CreateChannel(userIDs: [id] + others, operatorIDs: operators, name: name)
        call.channelURL = url
        return try await ask(call).channel.url
    }

    /// Renames a channel.
    ///
    /// - Throws: `TestFailure` if the server refuses.
    public func rename(_ channel: ChannelURL, to name: String) async throws(TestFailure) {
        _ = try await ask(UpdateChannel(channelURL: channel, name: name))
    }

    /// Invites users to a channel; the server registers unknown ones.
    ///
    /// - Throws: `TestFailure` if the server refuses.
    public func invite(_ users: [UserID], to channel: ChannelURL) async throws(TestFailure) {
        await register(users)
        _ = try await ask(InviteMembers(channelURL: channel, userIDs: users))
    }

    /// Leaves a channel.
    ///
    /// - Throws: `TestFailure` if the server refuses.
    public func leave(_ channel: ChannelURL) async throws(TestFailure) {
        _ = try await ask(LeaveChannel(channelURL: channel))
    }

    /// Freezes a channel as one of its operators, or lets all members write again.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - isFrozen: False lets all members write again.
    /// - Throws: `TestFailure` if the server refuses, for instance if this person is no operator.
    public func freeze(
        _ channel: ChannelURL, isFrozen: Bool = true
    ) async throws(TestFailure) {
        _ = try await ask(ChannelRequest.freeze(channel, isFrozen))
    }

    /// Deletes a channel as one of its operators.
    ///
    /// - Throws: `TestFailure` if the server refuses, for instance if this person is no operator.
    public func deleteChannel(_ channel: ChannelURL) async throws(TestFailure) {
        _ = try await ask(ChannelRequest.delete(channel))
    }

    /// Begins to type in a channel; the others see it for ten seconds, or until ``endTyping(in:)``.
    ///
    /// - Throws: `TestFailure` if the server refuses.
    public func startTyping(in channel: ChannelURL) async throws(TestFailure) {
        _ = try await askAsPlatform(ReportTyping(user: id, channel: channel, isTyping: true))
    }

    /// Stops typing in a channel.
    ///
    /// - Throws: `TestFailure` if the server refuses.
    public func endTyping(in channel: ChannelURL) async throws(TestFailure) {
        _ = try await askAsPlatform(ReportTyping(user: id, channel: channel, isTyping: false))
    }

    /// Marks all messages of a channel as read.
    ///
    /// - Throws: `TestFailure` if the server refuses.
    public func markAsRead(_ channel: ChannelURL) async throws(TestFailure) {
        _ = try await ask(MarkAsRead(channelURL: channel))
    }

    // MARK: Messages

    /// Sends a text.
    ///
    /// - Parameters:
    ///   - text: The text, 1 byte or more.
    ///   - channel: A channel with this person.
    ///   - parent: The message that this one answers; nil for none.
    /// - Returns: The ID of the message.
    /// - Throws: `TestFailure` if the server refuses.
    @discardableResult
    public func send(
        _ text: String, to channel: ChannelURL, answering parent: MessageID? = nil
    ) async throws(TestFailure) -> MessageID {
        let command = MessageCommand(
            channelURL: channel, requestID: nil, content: .user(text: text), parentID: parent)
        let message = try await ask(SendMessage(message: command))
        guard let id = message.messageID else {
            throw TestFailure("The server gave the message in \(channel) no ID.")
        }
        return id
    }

    /// Changes the text of an own message.
    ///
    /// - Throws: `TestFailure` if the server refuses.
    public func edit(
        _ message: MessageID, in channel: ChannelURL, text: String
    ) async throws(TestFailure) {
        let edit = EditCommand(
            channelURL: channel, messageID: message, requestID: nil, text: text)
        _ = try await ask(EditMessage(edit: edit))
    }

    /// Deletes an own message.
    ///
    /// - Throws: `TestFailure` if the server refuses.
    public func delete(_ message: MessageID, in channel: ChannelURL) async throws(TestFailure) {
        _ = try await ask(DeleteMessage(channelURL: channel, messageID: message))
    }

    /// Adds a reaction to a message, or takes an own reaction back.
    ///
    /// - Parameters:
    ///   - key: The key of the reaction, such as `smile`.
    ///   - message: The message.
    ///   - channel: The channel of the message.
    ///   - isAdded: False takes the reaction back.
    /// - Throws: `TestFailure` if the server refuses.
    public func react(
        _ key: String, to message: MessageID, in channel: ChannelURL, isAdded: Bool = true
    ) async throws(TestFailure) {
        _ = try await ask(
            ReactToMessage(channelURL: channel, messageID: message, key: key, isAdded: isAdded))
    }

    // MARK: Calls

    private func register(_ users: [UserID]) async {
        for user in users where await world.storage.user(user) == nil {
            await world.storage.addUser(User(id: user, nickname: user.rawValue))
        }
    }

    private func ask<Call: Question>(_ call: Call) async throws(TestFailure) -> Call.Output {
        try await ask(call, RequestHeaders(sessionKey: session.key))
    }

    /// Makes a call for the person that only the platform may make.
    private func askAsPlatform<Call: Question>(
        _ call: Call
    ) async throws(TestFailure) -> Call.Output {
        try await ask(call, RequestHeaders(apiToken: SimulatedWorld.apiToken))
    }

    private func ask<Call: Question>(
        _ call: Call, _ headers: RequestHeaders
    ) async throws(TestFailure) -> Call.Output {
        let response = await world.server.respond(to: call.encode(), headers: headers)
        do throws(APIFailure) {
            return try Call.decode(response)
        } catch {
            throw TestFailure("The server refuses a call of \(id): \(error)")
        }
    }
}

/// The report that a user types, or no longer; a user's own goes over a socket, which a person has
/// not.
private struct ReportTyping: Question {
    typealias Output = NoOutput

    let user: UserID
    let channel: ChannelURL
    let isTyping: Bool

    func encode() -> APIRequest {
        var body = JSONWriter()
        body.object { writer in writer.field("user_ids", [user.rawValue]) }
        return APIRequest(
            isTyping ? .post : .delete, ["group_channels", channel.rawValue, "typing"],
            body: body.bytes)
    }
}
