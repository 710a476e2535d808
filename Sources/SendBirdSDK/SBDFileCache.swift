// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostFileCache
import RoostModel

/// The basic cache of the guides: the newest 100 messages of a channel, and the newest 100 channels, in files.
///
/// The files are the current user's, and lie beside the cache's folder. They tell nobody of failures: a list
/// that could not be saved is not there. Whoever uses the sync manager needs none of this.
public final class SBDFileCache: NSObject {
    private override init() {}

    // MARK: Messages

    /// Keeps the last 100 of a list; to be called when the chat screen stops.
    ///
    /// Messages that were not sent yet are left out, and an empty list changes nothing.
    public class func saveMessages(_ messages: [SBDBaseMessage], channelUrl: String) {
        _ = cache?.save(messages.map(\.value), in: ChannelURL(channelUrl))
    }

    /// What was kept of a channel, in its order; nil for nothing.
    public class func loadMessages(inChannel channelUrl: String) -> [SBDBaseMessage]? {
        cache?.loadMessages(in: ChannelURL(channelUrl))?.values.map { SBDBaseMessage.make($0) }
    }

    /// Keeps one message more, or what became of one; nil and unsent ones are left out.
    public class func save(message: SBDBaseMessage?) {
        guard let message = message?.value, message.messageID != nil, let cache else { return }
        let known = cache.loadMessages(in: message.channelURL)?.values ?? []
        let others = known.filter { $0.messageID != message.messageID }
        // A list is kept in the order it has; one that comes late belongs where it was written.
        let place = others.lastIndex { $0.createdAt <= message.createdAt }.map { $0 + 1 } ?? 0
        _ = cache.save(others[..<place] + [message] + others[place...], in: message.channelURL)
    }

    /// What was kept of a channel, in its order.
    public class func loadMessages(channelUrl: String) -> [SBDBaseMessage] {
        loadMessages(inChannel: channelUrl) ?? []
    }

    // MARK: Channels

    /// Keeps the last 100 of a list, open channels left out; an empty list changes nothing.
    public class func saveChannels(_ channels: [SBDBaseChannel]) {
        _ = cache?.save(channels.compactMap { ($0 as? SBDGroupChannel)?.value })
    }

    /// The channels kept, in their order; nil for none.
    public class func loadGroupChannels() -> [SBDGroupChannel]? {
        cache?.loadChannels()?.values.map { SBDGroupChannel($0) }
    }

    /// Keeps the last 100 of a list; nil changes nothing.
    public class func save(channels: [SBDGroupChannel]?) { saveChannels(channels ?? []) }

    /// The channels kept, in their order.
    public class func loadChannels() -> [SBDGroupChannel] { loadGroupChannels() ?? [] }

    // MARK: Whose

    /// Nil before the library is initialized and while nobody has logged in.
    private static var cache: FileCache? {
        let settings = SBDMain.door.settings
        guard let application = settings.applicationID, let user = SBDMain.door.account else {
            return nil
        }
        let folder = settings.folder + "-files"
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return FileCache(folder: folder, application: application, user: user)
    }
}
