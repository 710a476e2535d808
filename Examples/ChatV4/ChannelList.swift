// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK

/// The list of the user's channels.
///
/// `create NAME USER…`, `list`, `channels`.
final class ChannelList: GroupChannelCollectionDelegate {
    private let screen: Screen
    private var collection: GroupChannelCollection?

    init(_ screen: Screen) {
        self.screen = screen
        screen.on("create", create)
        screen.on("list") { _ in self.open() }
        screen.on("channels") { _ in self.screen.done("channels", self.names) }
    }

    func channel(named name: String) -> GroupChannel? {
        collection?.channelList.first { $0.name == name }
    }

    func close() {
        collection?.dispose()
        collection = nil
    }

    private var names: String { (collection?.channelList ?? []).map(\.name).listed }

    private func create(_ words: String) {
        let (name, users) = words.firstWord
        let params = GroupChannelCreateParams()
        params.name = name
        params.userIds = users.split(separator: " ").map(String.init)
        params.operatorUserIds = [SendbirdChat.getCurrentUser()?.userId ?? ""]
        GroupChannel.createChannel(params: params) { channel, error in
            self.screen.done("created", channel?.name ?? "", error: error)
        }
    }

    private func open() {
        close()
        let query = GroupChannel.createMyGroupChannelListQuery { params in
            params.includeEmptyChannel = true
            params.order = .latestLastMessage
        }
        collection = SendbirdChat.createGroupChannelCollection(query: query)
        collection?.delegate = self
        collection?.loadMore { channels, error in
            self.screen.done("channels", error?.localizedDescription ?? self.names)
        }
    }

    // MARK: Events

    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        addedChannels channels: [GroupChannel]
    ) {
        screen.show("added:", channels.map(\.name).listed)
    }

    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        deletedChannelURLs: [String]
    ) {
        screen.show("removed:", "\(deletedChannelURLs.count)")
    }
}
