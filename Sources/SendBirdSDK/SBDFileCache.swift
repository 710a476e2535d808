// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostFileCache
import RoostModel

/// The basic cache of the old guides: the newest 100 messages of a channel, and the newest 100
/// channels, in files.
///
/// The files belong to the current user and lie beside the cache's folder. After
/// `SBDMain.disconnect` nothing is loaded or saved until a user is named again. Failures are not
/// reported: a list that could not be saved is missing. The sync manager makes this cache
/// unnecessary.
public final class SBDFileCache: NSObject {
    private override init() {}

    // MARK: Messages

    /// Saves the last 100 messages of a list; call it when the chat screen stops.
    ///
    /// Unsent messages are left out, and an empty list changes nothing.
    public class func saveMessages(_ messages: [SBDBaseMessage], channelUrl: String) {
        _ = cache?.save(messages.map(\.value), in: ChannelURL(channelUrl))
    }

    /// Returns the saved messages of a channel, in their order; nil for none.
    public class func loadMessages(inChannel channelUrl: String) -> [SBDBaseMessage]? {
        cache?.loadMessages(in: ChannelURL(channelUrl))?.values.map { SBDBaseMessage.make($0) }
    }

    /// Saves another message, or the new version of a saved one; nil and unsent messages are
    /// ignored.
    public class func save(message: SBDBaseMessage?) {
        guard let message = message?.value, message.messageID != nil, let cache else { return }
        let known = cache.loadMessages(in: message.channelURL)?.values ?? []
        let others = known.filter { $0.messageID != message.messageID }
        // A saved list keeps its order; a late message is inserted at the time it was written.
        let place = others.lastIndex { $0.createdAt <= message.createdAt }.map { $0 + 1 } ?? 0
        _ = cache.save(others[..<place] + [message] + others[place...], in: message.channelURL)
    }

    /// Returns the saved messages of a channel, in their order.
    public class func loadMessages(channelUrl: String) -> [SBDBaseMessage] {
        loadMessages(inChannel: channelUrl) ?? []
    }

    // MARK: Channels

    /// Saves the last 100 channels of a list, without open channels; an empty list changes nothing.
    public class func saveChannels(_ channels: [SBDBaseChannel]) {
        _ = cache?.save(channels.compactMap { ($0 as? SBDGroupChannel)?.value })
    }

    /// Returns the saved channels, in their order; nil for none.
    public class func loadGroupChannels() -> [SBDGroupChannel]? {
        cache?.loadChannels()?.values.map { SBDGroupChannel(KeptChannels.State($0)) }
    }

    /// Saves the last 100 channels of a list; nil changes nothing.
    public class func save(channels: [SBDGroupChannel]?) { saveChannels(channels ?? []) }

    /// Returns the saved channels, in their order.
    public class func loadChannels() -> [SBDGroupChannel] { loadGroupChannels() ?? [] }

    // MARK: The user's files

    /// The cache of the current user; nil before the initialisation, before any user is named, and
    /// after a logout.
    private static var cache: FileCache? {
        let (door, settings) = (SBDMain.door, SBDMain.door.settings)
        guard let application = settings.applicationID, let user = door.account, !door.isLoggedOut
        else { return nil }
        let folder = settings.folder + "-files"
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return FileCache(folder: folder, application: application, user: user)
    }
}
