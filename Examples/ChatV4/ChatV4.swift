// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK

/// A chat app without a screen, written against the v4 names only.
///
/// Reads commands, one a line, and prints what a screen would show: `connect`, `create NAME USER`, `list`,
/// `open NAME`, `send TEXT`, `older`, `await TEXT` until a message is shown, `pending`, `quit`.
@main
final class ChatV4: GroupChannelCollectionDelegate, MessageCollectionDelegate {
    private let user: String
    private var channels: GroupChannelCollection?
    private var messages: MessageCollection?
    private var shown: [BaseMessage] = []
    /// The text that the next command waits for.
    private var awaited: String?

    private init(user: String) { self.user = user }

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            print("usage: ChatV4 SERVER USER CACHE-FOLDER")
            exit(2)
        }
        let params = InitParams(applicationId: "demo", isLocalCachingEnabled: true)
        params.server = arguments[1]
        params.cacheFolder = arguments[3]
        SendbirdChat.initialize(params: params)
        let app = ChatV4(user: arguments[2])
        DispatchQueue.main.async { app.next() }
        dispatchMain()
    }

    private func next() {
        guard let line = readLine() else { return end(0) }
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "connect": connect()
        case "create": create(rest.split(separator: " ").map(String.init))
        case "list": list()
        case "open": open(rest)
        case "send": send(rest)
        case "older": older()
        case "await":
            awaited = rest
            check()
        case "pending":
            say("pending", messages?.pendingMessages ?? [])
            next()
        case "quit": SendbirdChat.disconnect { self.end(0) }
        default:
            self.show("What is \(line)?")
            end(2)
        }
    }

    /// Prints a line without buffering.
    private func show(_ words: String...) {
        print(words.joined(separator: " "))
        fflush(nil)
    }

    /// Ends the process at once; work in progress is cut off, as by the system.
    private func end(_ status: Int32) {
        exit(status)
    }

    private func say(_ what: String, _ messages: [BaseMessage]) {
        self.show(what, messages.map(\.message).joined(separator: ", "))
    }

    // MARK: Commands

    private func connect() {
        SendbirdChat.connect(userId: user) { user, error in
            self.show(error == nil ? "connected" : "offline", user?.userId ?? "nobody")
            self.next()
        }
    }

    private func create(_ words: [String]) {
        let params = GroupChannelCreateParams()
        params.name = words.first
        params.userIds = Array(words.dropFirst())
        GroupChannel.createChannel(params: params) { channel, error in
            self.show("created", channel?.name ?? error?.localizedDescription ?? "")
            self.next()
        }
    }

    private func list() {
        channels?.dispose()
        let query = GroupChannel.createMyGroupChannelListQuery { params in
            params.includeEmptyChannel = true
        }
        channels = SendbirdChat.createGroupChannelCollection(query: query)
        channels?.delegate = self
        channels?.loadMore { channels, error in
            let names = (channels ?? []).map(\.name).joined(separator: ", ")
            self.show("channels", error?.localizedDescription ?? names)
            self.next()
        }
    }

    private func open(_ name: String) {
        guard let channel = channels?.channelList.first(where: { $0.name == name }) else {
            self.show("no channel \(name)")
            return next()
        }
        startCollection(channel) { self.next() }
    }

    private func startCollection(_ channel: GroupChannel, then done: @escaping () -> Void) {
        let collection = SendbirdChat.createMessageCollection(channel: channel)
        messages = collection
        collection.delegate = self
        collection.startCollection(
            initPolicy: .cacheAndReplaceByApi,
            cacheResultHandler: { messages, error in
                self.shown = messages ?? []
                self.say("cache", self.shown)
            },
            apiResultHandler: { messages, error in
                if let messages {
                    self.shown = messages
                    self.say("server", messages)
                } else {
                    self.show("server out of reach")
                }
                done()
            })
    }

    private func send(_ text: String) {
        let preview = messages?.channel.sendUserMessage(text) { message, error in
            self.show(error == nil ? "sent" : "waiting", message?.message ?? "")
            self.next()
        }
        if preview == nil { next() }
    }

    private func older() {
        messages?.loadPrevious { messages, error in
            self.shown = (messages ?? []) + self.shown
            self.say("older", messages ?? [])
            self.next()
        }
    }

    private func check() {
        guard let awaited,
            shown.contains(where: {
                $0.message == awaited && $0.sendingStatus == .succeeded
            })
        else { return }
        self.show("shown", awaited)
        self.awaited = nil
        next()
    }

    // MARK: Events

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [BaseMessage]
    ) {
        shown += messages
        check()
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [BaseMessage]
    ) {
        for message in messages {
            shown.removeAll {
                $0 == message || (!$0.requestId.isEmpty && $0.requestId == message.requestId)
            }
            shown.append(message)
        }
        check()
    }

    func didDetectHugeGap(_ collection: MessageCollection) {
        self.show("huge gap")
        collection.dispose()
        // The reader of the commands continues; only the list begins anew.
        startCollection(collection.channel) { self.check() }
    }
}
