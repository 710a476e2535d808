// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

import Foundation
import SendBirdSDK
import SendBirdSyncManager

// Screens after the guide's samples (in `GuideSamples`), which record their calls.

final class ListScreen: SBSMChannelCollectionDelegate {
    var channelCollection: SBSMChannelCollection?
    var events: [String] = []
    var fetches = 0

    func viewDidLoad() {
        let query: SBDGroupChannelListQuery? = SBDGroupChannel.createMyGroupChannelListQuery()
        // limit, order, ... setup your query here.
        query?.limit = 10
        query?.order = .latestLastMessage
        query?.includeEmptyChannel = true
        let channelCollection: SBSMChannelCollection? = SBSMChannelCollection.init(query: query)
        self.channelCollection = channelCollection  // Recommands to set a property of view controller
        // ...
        channelCollection?.delegate = self
        // ...
        channelCollection?.fetch(completionHandler: { (error) in
            // This callback is optional and useful to catch the moment of loading ended.
            self.fetches += 1
        })
    }

    func close() {
        channelCollection?.delegate = nil
        channelCollection?.remove()
    }

    // channel collection delegate
    func collection(
        _ collection: SBSMChannelCollection, didReceiveEvent action: SBSMChannelEventAction,
        channels: [SBDGroupChannel]
    ) {
        let names = channels.map(\.name).joined(separator: " ")
        switch action {
        case SBSMChannelEventAction.insert:
            // Insert channels on list
            events.append("insert \(names)")
            break
        case SBSMChannelEventAction.update:
            // Update channels of list
            events.append("update \(names)")
            break
        case SBSMChannelEventAction.remove:
            // Remove channels of list
            events.append("remove \(names)")
            break
        case SBSMChannelEventAction.move:
            // Move channel of list
            events.append("move \(names)")
            break
        case SBSMChannelEventAction.clear:
            // Clear(Remove all) channels
            events.append("clear")
            break
        case SBSMChannelEventAction.none:
            break
        }
    }
}

final class ChatScreen: SBSMMessageCollectionDelegate, SBDConnectionDelegate {
    let channel: SBDGroupChannel
    let messageCollection: SBSMMessageCollection!
    var shown: [String] = []
    var events: [String] = []
    var fetches: [String] = []
    var viewpoint = Int64.max

    init(channel: SBDGroupChannel, viewpointTimestamp: Int64 = Int64.max) {
        self.channel = channel
        let filter: SBSMMessageFilter = SBSMMessageFilter.init(
            messageType: SBDMessageTypeFilter.all, customType: nil, senderUserIds: nil)
        let messageCollection: SBSMMessageCollection? = SBSMMessageCollection.init(
            channel: channel, filter: filter, viewpointTimestamp: viewpointTimestamp)
        self.messageCollection = messageCollection
    }

    func getLastReadTimestamp() -> Int64 { viewpoint }

    func viewDidLoad() {
        messageCollection.delegate = self
        messageCollection.fetch(
            in: SBSMMessageDirection.previous,
            completionHandler: { (error) in
                // Fetching from cache is done
                self.fetches.append("previous \(error?.code ?? 0)")
            })
        messageCollection.fetch(
            in: SBSMMessageDirection.next,
            completionHandler: { (error) in
                // Fetching from cache is done
                self.fetches.append("next \(error?.code ?? 0)")
            })
    }

    // MARK SendBird Connection Delegate
    func didSucceedReconnection() {
        let manager: SBSMSyncManager = SBSMSyncManager()
        manager.resumeSynchronize()
        messageCollection?.resetViewpointTimestamp(getLastReadTimestamp())
        messageCollection?.fetch(
            in: .previous,
            completionHandler: { (error) in
                // Fetching from cache is done
            })
    }

    func send(_ text: String) {
        guard let params = SBDUserMessageParams(message: text) else { return }
        // call collection.appendMessage() after sending message
        var previewMessage: SBDUserMessage?
        previewMessage = channel.sendUserMessage(
            with: params,
            completionHandler: { (theMessage, theError) in
                guard let message: SBDUserMessage = theMessage, theError == nil else {
                    // delete preview message if sending message fails
                    self.messageCollection.deleteMessage(previewMessage)
                    return
                }

                self.messageCollection.appendMessage(message)
            })

        if let thePreviewMessage: SBDUserMessage = previewMessage {
            messageCollection.appendMessage(thePreviewMessage)
        }
    }

    func close() {
        messageCollection?.delegate = nil
        messageCollection?.remove()
    }

    // message collection delegate
    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        messages: [SBDBaseMessage]
    ) {
        guard collection == self.messageCollection else {
            return
        }

        let texts = messages.map(\.message)
        switch action {
        case SBSMMessageEventAction.insert:
            events.append("insert \(messages.count)")
            shown = sorted(shown + texts)
            break
        case SBSMMessageEventAction.update:
            events.append("update \(messages[0].sendingStatus)")
            break
        case SBSMMessageEventAction.remove:
            events.append("remove \(messages.count)")
            shown.removeAll { texts.contains($0) }
            break
        case SBSMMessageEventAction.clear:
            events.append("clear")
            shown = []
            break
        case SBSMMessageEventAction.none:
            break
        }
    }

    private func sorted(_ texts: [String]) -> [String] {
        texts.sorted { (Int($0) ?? .max, $0) < (Int($1) ?? .max, $1) }
    }
}
