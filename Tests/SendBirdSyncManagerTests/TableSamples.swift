// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

import Foundation
import SendBirdSDK
import SendBirdSyncManager

// The rest of the guide's samples: launching, connecting, tables that page, and refreshing.

/// UIKit's, as far as the samples need it.
class UIApplication: NSObject {
    struct LaunchOptionsKey: Hashable {}
}

class UITableView {}

class UITableViewCell {}

final class AppDelegate: SBDConnectionDelegate {
    let userId: String
    var connected: (Bool) -> Void

    init(userId: String, connected: @escaping (Bool) -> Void) {
        self.userId = userId
        self.connected = connected
    }

    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {

        // after getting user's ID or login
        SBSMSyncManager.setup(withUserId: userId)
        return true
    }

    func connect() {
        // Request Connect to Sendbird
        SBDMain.connect(withUserId: userId) { (user, error) in
            if let theError: NSError = error {
                self.connected(theError.code == 0)
                return
            }

            let manager: SBSMSyncManager = SBSMSyncManager()
            manager.resumeSynchronize()
            self.connected(true)
        }
    }

    // Sendbird Connection Delegate
    func didSucceedReconnection() {
        let manager: SBSMSyncManager = SBSMSyncManager()
        manager.resumeSynchronize()
    }
}

/// A list whose last row asks for more.
final class ChannelTable: UIViewController, SBSMChannelCollectionDelegate {
    var channelCollection: SBSMChannelCollection?
    var channels: [SBDGroupChannel] = []
    var isLoading = false

    func createChannelCollection() {
        let query: SBDGroupChannelListQuery? = SBDGroupChannel.createMyGroupChannelListQuery()
        query?.limit = 2
        query?.includeEmptyChannel = true
        channelCollection = SBSMChannelCollection.init(query: query)
        channelCollection?.delegate = self
    }

    override func viewDidLoad() {
        createChannelCollection()
        channelCollection?.fetch(completionHandler: {(error) in
            // This callback is optional and useful to catch the moment of loading ended.
        })
    }

    func refreshChannel() {
        // begin loading progress
        isLoading = true
        channelCollection?.remove()
        channelCollection = nil
        channels = []
        // create channel collection
        createChannelCollection()
        channelCollection?.fetch(completionHandler: { (error) in
            // end load progress
            self.isLoading = false
        })
    }

    func tableView(_ tableView: UITableView, cellForRowAt row: Int) -> UITableViewCell {
        // .. dequeue reusable cell
        if self.channels.count > 0 && row + 1 == self.channels.count {
            channelCollection?.fetch(completionHandler: { (error) in
                // end load progress
            })
        }
        // ...
        return UITableViewCell()
    }

    func collection(_ collection: SBSMChannelCollection, didReceiveEvent action: SBSMChannelEventAction, channels: [SBDGroupChannel]) {
        if action == .insert { self.channels += channels }
    }

    deinit {
        channelCollection?.delegate = nil
        channelCollection?.remove()
    }
}

/// A chat whose last row asks for more.
final class ChatTable: UIViewController, SBSMMessageCollectionDelegate {
    let channel: SBDGroupChannel
    var messageCollection: SBSMMessageCollection?
    var messages: [SBDBaseMessage] = []
    let direction = SBSMMessageDirection.previous
    let customTypeFilter: String? = nil
    let senderUserIdsFilter: [String]? = nil

    init(channel: SBDGroupChannel) { self.channel = channel }

    func getLastReadTimestamp() -> Int64 { Int64.max }

    override func viewDidLoad() {
        let filter: SBSMMessageFilter = SBSMMessageFilter.init(messageType: SBDMessageTypeFilter.all, customType: customTypeFilter, senderUserIds: senderUserIdsFilter)
        let viewpointTimestamp: Int64 = getLastReadTimestamp()
        // or LONG_LONG_MAX if you want to see the most recent messages

        let messageCollection: SBSMMessageCollection? = SBSMMessageCollection.init(channel: channel, filter: filter, viewpointTimestamp: viewpointTimestamp)
        self.messageCollection = messageCollection
        messageCollection?.delegate = self
        messageCollection?.fetch(in: direction, completionHandler: { (error) in
            // Fetching from cache is done
        })
    }

    func tableView(_ tableView: UITableView, cellForRowAt row: Int) -> UITableViewCell {
        // .. dequeue reusable cell
        if self.messages.count > 0 && row + 1 == self.messages.count {
            messageCollection?.fetch(in: direction, completionHandler: { (error) in
                // Fetching from cache is done
            })
        }
        // ...
        return UITableViewCell()
    }

    func refreshMessages() {
        messageCollection?.resetViewpointTimestamp(getLastReadTimestamp())
        messageCollection?.fetch(in: direction, completionHandler: { (error) in
            // Fetching from cache is done
        })
    }

    func update(_ params: SBDUserMessageParams) {
        // call collection.updateMessage() after updating message
        channel.sendUserMessage(with: params, completionHandler: { (theMessage, error) in
            guard let message: SBDUserMessage = theMessage, error == nil else {
                return
            }

            self.messageCollection?.updateMessage(message)
        })
    }

    func collection(_ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction, messages: [SBDBaseMessage]) {
        switch action {
        case SBSMMessageEventAction.insert:
            self.messages += messages
        case SBSMMessageEventAction.remove:
            self.messages.removeAll { messages.contains($0) }
        case SBSMMessageEventAction.clear:
            self.messages = []
        case SBSMMessageEventAction.update:
            break
        case SBSMMessageEventAction.none:
            break
        }
    }

    deinit {
        messageCollection?.delegate = nil
        messageCollection?.remove()
    }
}
