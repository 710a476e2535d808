// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK

// The page's first sample, line for line; its gaps ("// ...") record the calls. Its extension names
// another controller than the class, which is an error of the page.

typealias ChannelListViewController = CustomViewController

/// The parts of UIKit that the samples need.
class UIViewController {
    required init?(coder: NSCoder) {}
}

class CustomViewController: UIViewController {
    var collection: GroupChannelCollection?

    // ...
    var pages: [[String]] = []
    var added: [String] = []
    var updated: [String] = []
    var deleted: [String] = []
    var contexts: [ChannelContext] = []

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    // Create a GroupChannelListQuery instance first.
    func createGroupChannelCollection() {
        let query = GroupChannel.createMyGroupChannelListQuery { params in
            params.includeEmptyChannel = true
            params.order = .chronological
            params.includeMemberList = true
            params.includeMetaData = true
            params.includeFrozenChannel = true
        }

        // Create a GroupChannelCollection instance.
        self.collection = SendbirdChat.createGroupChannelCollection(query: query)
        self.collection?.delegate = self
    }

    // Load channels.
    func loadMore() {
        guard let collection = self.collection else {
            return
        }

        if collection.hasNext {
            collection.loadMore(completionHandler: { channels, error in
                guard error == nil else {
                    // Handle error.
                    return
                }
                self.pages.append((channels ?? []).map(\.name))
            })
        }
    }

    // Clear the collection.
    func dispose() {
        self.collection?.dispose()
    }
}

extension ChannelListViewController: GroupChannelCollectionDelegate {
    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        addedChannels channels: [GroupChannel]
    ) {
        added += channels.map(\.name)
        contexts.append(context)
    }

    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        updatedChannels channels: [GroupChannel]
    ) {
        updated += channels.map(\.name)
    }

    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        deletedChannelURLs: [String]
    ) {
        deleted += deletedChannelURLs
    }
}
