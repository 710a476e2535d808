// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The samples of the sync manager's guide on channel lists, line for line. docs/guide-samples.md
// lists the lines that are not the guide's.

// add delegate
// UIKit brings this along.
import Foundation
import SendBirdSyncManager

class GroupChannelListViewController: UIViewController, UITableViewDelegate, UITableViewDataSource, SBSMChannelCollectionDelegate {
    var channelCollection: SBSMChannelCollection!
    var channels: [SBDGroupChannel] = []
    private(set) var events: [String] = []

    override func viewDidLoad() {
        createChannelCollection()
        // ...
        channelCollection?.delegate = self
        // ...
    }

    func createChannelCollection() {
        let query: SBDGroupChannelListQuery? = SBDGroupChannel.createMyGroupChannelListQuery()
        // limit, order, ... setup your query here. 
        query?.limit = 2  // added
        query?.includeEmptyChannel = true  // added
        let channelCollection: SBSMChannelCollection? = SBSMChannelCollection.init(query: query)
        self.channelCollection = channelCollection // repaired
    }

    // channel collection delegate
    func collection(_ collection: SBSMChannelCollection, didReceiveEvent action: SBSMChannelEventAction, channels: [SBDGroupChannel]) {
        switch (action) {
        case SBSMChannelEventAction.insert:
            // Insert channels on list
            self.channels += channels  // added
            break
        case SBSMChannelEventAction.update:
            // Update channels of list
            events.append("update")  // added
            break
        case SBSMChannelEventAction.remove:
            // Remove channels of list
            events.append("remove")  // added
            break
        case SBSMChannelEventAction.move:
            // Move channel of list
            events.append("move")  // added
            break
        case SBSMChannelEventAction.clear:
            // Clear(Remove all) channels
            break
        case SBSMChannelEventAction.none:
            break
        }  // left out: default
    }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        // .. dequeue reusable cell        
        if self.channels.count > 0 && indexPath.row + 1 == self.channels.count {
            channelCollection?.fetch(completionHandler: { (error) in
                // end load progress
            })
        }
        // ...
        return UITableViewCell()  // added
    }

    deinit {
        channelCollection?.delegate = nil
        channelCollection?.remove()
    }
}

/// The same list, which fetches.
final class FetchingListViewController: GroupChannelListViewController {
    private(set) var isLoading = false

    override func viewDidLoad() { // repaired
        super.viewDidLoad()  // added
        channelCollection.fetch(completionHandler: {(error) in
            // This callback is optional and useful to catch the moment of loading ended.
        })
    }

    func refreshChannel() {
        // begin loading progress
        isLoading = true  // added
        channels = []  // added
        channelCollection?.remove()
        channelCollection = nil // repaired
        // create channel collection
        super.viewDidLoad()  // added
        channelCollection?.fetch(completionHandler: { (error) in
            // end load progress
            self.isLoading = false  // added
        })
    }
}
