// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendBirdSDK
import SendBirdSyncManager

/// A chat app without a screen, written against the v3 names and the sync manager's only.
///
/// Reads commands, one a line, and prints what a screen would show: `connect`, `create NAME USER`, `list`,
/// `open NAME`, `send TEXT`, `await TEXT` until a message is shown, `quit`.
@main
final class ChatV3: SBSMChannelCollectionDelegate, SBSMMessageCollectionDelegate {
    private let user: String
    private var channelCollection: SBSMChannelCollection?
    private var messageCollection: SBSMMessageCollection?
    private var channels: [SBDGroupChannel] = []
    private var shown: [SBDBaseMessage] = []
    /// The text that the next command waits for.
    private var awaited: String?

    private init(user: String) { self.user = user }

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            print("usage: ChatV3 SERVER USER CACHE-FOLDER")
            exit(2)
        }
        SBDMain.initWithApplicationId("demo")
        SBDMain.setServer(arguments[1])
        SBDMain.setCacheFolder(arguments[3])
        SBSMSyncManager.setup(withUserId: arguments[2])
        let app = ChatV3(user: arguments[2])
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
        case "await":
            awaited = rest
            check()
        case "quit":
            SBDMain.disconnect {
                SBSMSyncManager().pauseSynchronize()
                self.end(0)
            }
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

    // MARK: Commands

    private func connect() {
        SBDMain.connect(withUserId: user) { user, error in
            self.show(error == nil ? "connected" : "offline", user?.userId ?? "nobody")
            if error == nil { SBSMSyncManager().resumeSynchronize() }
            self.next()
        }
    }

    private func create(_ words: [String]) {
        SBDGroupChannel.createChannel(
            withName: words.first, isDistinct: false, userIds: Array(words.dropFirst()),
            coverUrl: nil, data: nil
        ) { channel, error in
            self.show("created", channel?.name ?? error?.localizedDescription ?? "")
            self.next()
        }
    }

    private func list() {
        channelCollection?.remove()
        channels = []
        let query = SBDGroupChannel.createMyGroupChannelListQuery()
        query?.includeEmptyChannel = true
        channelCollection = SBSMChannelCollection(query: query)
        channelCollection?.delegate = self
        channelCollection?.fetch { error in
            self.show("channels", self.channels.map(\.name).joined(separator: ", "))
            self.next()
        }
    }

    private func open(_ name: String) {
        guard let channel = channels.first(where: { $0.name == name }) else {
            self.show("no channel \(name)")
            return next()
        }
        shown = []
        messageCollection = SBSMMessageCollection(
            channel: channel, filter: nil, viewpointTimestamp: Int64.max)
        messageCollection?.delegate = self
        messageCollection?.fetch(in: .previous) { error in
            self.show("messages", self.shown.map(\.message).joined(separator: ", "))
            self.next()
        }
    }

    private func send(_ text: String) {
        guard let params = SBDUserMessageParams(message: text),
            let channel = messageCollection?.channel
        else { return next() }
        channel.sendUserMessage(with: params) { message, error in
            self.show(error == nil ? "sent" : "waiting", message?.message ?? "")
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

    func collection(
        _ collection: SBSMChannelCollection, didReceiveEvent action: SBSMChannelEventAction,
        channels: [SBDGroupChannel]
    ) {
        switch action {
        case .insert: self.channels += channels
        case .update, .move:
            for channel in channels {
                self.channels.removeAll { $0 == channel }
                self.channels.append(channel)
            }
        case .remove: self.channels.removeAll { channels.contains($0) }
        case .clear: self.channels = []
        case .none: break
        }
    }

    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        messages: [SBDBaseMessage]
    ) {
        switch action {
        case .insert: shown += messages
        case .update:
            for message in messages {
                shown.removeAll {
                    $0 == message || !$0.requestId.isEmpty && $0.requestId == message.requestId
                }
                shown.append(message)
            }
        case .remove: shown.removeAll { messages.contains($0) }
        case .clear:
            self.show("begins anew")
            shown = []
        case .none: break
        }
        check()
    }
}
