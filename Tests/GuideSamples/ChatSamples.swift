// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The samples of the sync manager's guide on chats, line for line. docs/guide-samples.md lists the
// lines that are not the guide's.

// add delegate
// UIKit brings this along.
import Foundation
import SendBirdSyncManager

class GroupChannelChattingViewController: UIViewController, UITableViewDelegate, UITableViewDataSource, SBSMMessageCollectionDelegate {
    let channel: SBDGroupChannel
    var messageCollection: SBSMMessageCollection!
    let chattingView: ChattingView? = ChattingView()
    var channels: [SBDBaseMessage] { chattingView?.shown ?? [] }
    let direction = SBSMMessageDirection.previous
    private let SBDMessageTypeFilter = SendBirdSDK.SBDMessageTypeFilter.all
    private let customTypeFilter: String? = nil
    private let senderUserIdsFilter: [String]? = nil

    init(channel: SBDGroupChannel) { self.channel = channel }

    func getLastReadTimestamp() -> Int64 { Int64.max }

    override func viewDidLoad() {
        createMessageCollection()
        // ...
        messageCollection.delegate = self
        // ...
    }

    private func createMessageCollection() {
        // ...
        let filter: SBSMMessageFilter = SBSMMessageFilter.init(messageType: SBDMessageTypeFilter, customType: customTypeFilter, senderUserIds: senderUserIdsFilter)
        let viewpointTimestamp: Int64 = getLastReadTimestamp()
        // or LONG_LONG_MAX if you want to see the most recent messages

        let messageCollection: SBSMMessageCollection? = SBSMMessageCollection.init(channel: channel, filter: filter, viewpointTimestamp: viewpointTimestamp)
        // ...
        self.messageCollection = messageCollection  // added
    }

    // message collection delegate
    func collection(_ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction, messages: [SBDBaseMessage]) {
        guard collection == self.messageCollection, messages.count > 0 else {
            return
        }

        switch action {
        case SBSMMessageEventAction.insert:
            self.chattingView?.insert(messages: messages, completionHandler: nil)
            break
        case SBSMMessageEventAction.update:
            self.chattingView?.update(messages: messages, completionHandler: nil)
            break
        case SBSMMessageEventAction.remove:
            self.chattingView?.remove(messages: messages, completionHandler: nil)
            break
        case SBSMMessageEventAction.clear:
            self.chattingView?.clearAllMessages(completionHandler: nil)
            break
        case SBSMMessageEventAction.none:
            break
        }  // left out: default
    }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        // .. dequeue reusable cell        
        if self.channels.count > 0 && indexPath.row + 1 == self.channels.count {
            messageCollection?.fetch(in: direction, completionHandler: { (error) in
                // Fetching from cache is done
            })
        }
        // ...
        return UITableViewCell()  // added
    }

    deinit {
        messageCollection?.delegate = nil
        messageCollection?.remove()
    }
}

/// The same chat, which fetches and sends.
final class FetchingChatViewController: GroupChannelChattingViewController, SBDConnectionDelegate {
    override func viewDidLoad() {
        super.viewDidLoad()  // added
        messageCollection.fetch(in: SBSMMessageDirection.previous, completionHandler: { (error) in
            // Fetching from cache is done
        })
        messageCollection.fetch(in: SBSMMessageDirection.next, completionHandler: { (error) in
            // Fetching from cache is done
        })
    }

    func refreshMessages() {
        messageCollection?.resetViewpointTimestamp(getLastReadTimestamp())
        messageCollection?.fetch(in: direction, completionHandler: { (error) in
            // Fetching from cache is done
        })
    }

    // MARK SendBird Connection Delegate
    func didSucceedReconnection() {
        messageCollection?.resetViewpointTimestamp(getLastReadTimestamp())
        messageCollection?.fetch(in: direction, completionHandler: { (error) in
            // Fetching from cache is done
        })
    }

    func send(_ params: SBDUserMessageParams, _ messageCollection: SBSMMessageCollection) {
        // call collection.appendMessage() after sending message
        var previewMessage: SBDUserMessage?
        channel.sendUserMessage(with: params, completionHandler: { (theMessage, theError) in
            guard let message: SBDUserMessage = theMessage, let _: SBDError = theError else {
                // delete preview message if sending message fails
                messageCollection.deleteMessage(previewMessage)
                return
            }
            
            messageCollection.appendMessage(message)
        })

        if let thePreviewMessage: SBDUserMessage = previewMessage {
            messageCollection.appendMessage(thePreviewMessage)
        }
        previewMessage = nil  // added
    }

    func update(_ params: SBDUserMessageParams, _ messageCollection: SBSMMessageCollection) {
        // call collection.updateMessage() after updating message
        channel.sendUserMessage(with: params, completionHandler: { (theMessage, error) in
            guard let message: SBDUserMessage = theMessage, let _: SBDError = error else {
                return
            }
            
            messageCollection.updateMessage(message)
        })
    }
}
