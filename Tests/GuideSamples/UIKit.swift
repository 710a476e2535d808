// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendBirdSDK

// The parts of UIKit that the samples need.

class UIViewController {
    func viewDidLoad() {}
}

class UIApplication {
    struct LaunchOptionsKey: Hashable {}
}

class UITableView {}

class UITableViewCell {}

protocol UITableViewDelegate: AnyObject {}

protocol UITableViewDataSource: AnyObject {
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
}

extension IndexPath {
    init(row: Int) { self.init(indexes: [0, row]) }

    var row: Int { self[count - 1] }
}

/// The samples' view of messages, which records its calls.
final class ChattingView {
    private(set) var shown: [SBDBaseMessage] = []
    private(set) var events: [String] = []

    func insert(messages: [SBDBaseMessage], completionHandler: (() -> Void)?) {
        events.append("insert \(messages.count)")
        shown += messages
        completionHandler?()
    }

    func update(messages: [SBDBaseMessage], completionHandler: (() -> Void)?) {
        events.append("update \(messages.count)")
        completionHandler?()
    }

    func remove(messages: [SBDBaseMessage], completionHandler: (() -> Void)?) {
        events.append("remove \(messages.count)")
        shown.removeAll { messages.contains($0) }
        completionHandler?()
    }

    func clearAllMessages(completionHandler: (() -> Void)?) {
        events.append("clear")
        shown = []
        completionHandler?()
    }
}
