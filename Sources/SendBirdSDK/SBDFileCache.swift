// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostFileCache
import RoostModel
import Synchronization

/// The basic cache of the old guides: the newest 100 messages of a channel, and the newest 100
/// channels, in files.
///
/// The files belong to the current user and lie beside the cache's folder. After
/// `SBDMain.disconnect` nothing is loaded or saved until a user is named again. Failures are not
/// reported: a list that could not be saved is missing. The sync manager makes this cache
/// unnecessary.
public final class SBDFileCache: NSObject {
    private override init() {}

    /// Held from the loading of a list to its saving: two threads may save messages at once.
    private static let turn = Mutex(())

    // MARK: Messages

    /// Saves the last 100 messages of a list; call it when the chat screen stops.
    ///
    /// Unsent messages are left out, and an empty list changes nothing.
    public class func saveMessages(_ messages: [SBDBaseMessage], channelUrl: String) {
        turn.withLock { _ in
            _ = cache?.save(messages.map(\.value), in: ChannelURL(channelUrl))
        }
    }

    /// Returns the saved messages of a channel, in their order; nil for none.
    public class func loadMessages(inChannel channelUrl: String) -> [SBDBaseMessage]? {
        cache?.loadMessages(in: ChannelURL(channelUrl))?.values.map { SBDBaseMessage.make($0) }
    }

    /// Saves another message, or the new version of a saved one; nil and unsent messages are
    /// ignored.
    ///
    /// The list keeps its order, oldest or newest first. Of more than 100 messages the oldest one
    /// is left out.
    public class func save(message: SBDBaseMessage?) {
        guard let message = message?.value, message.messageID != nil, let cache else { return }
        turn.withLock { _ in
            let known = cache.loadMessages(in: message.channelURL)?.values ?? []
            _ = cache.save(list(known, with: message), in: message.channelURL)
        }
    }

    /// Returns a list with a message at the place of its time.
    private class func list(_ known: [Message], with message: Message) -> [Message] {
        let others = known.filter { $0.messageID != message.messageID }
        let time = message.createdAt
        if let first = others.first, let last = others.last, first.createdAt > last.createdAt {
            let place = others.firstIndex { $0.createdAt <= time } ?? others.count
            let all = others[..<place] + [message] + others[place...]
            return Array(all.prefix(FileCache.limit))
        }
        let place = others.lastIndex { $0.createdAt <= time }.map { $0 + 1 } ?? 0
        return others[..<place] + [message] + others[place...]
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

    /// Removes all saved lists, those of other users of the application as well.
    ///
    /// `SBSMSyncManager.clearCache` leaves them. It works after a logout, too.
    ///
    /// - Returns: Whether all of them are gone.
    @discardableResult
    public class func removeAll() -> Bool {
        turn.withLock { _ in
            guard let application = SBDMain.door.settings.applicationID else { return true }
            // The user is not a part of what is removed.
            return FileCache(folder: folder, application: application, user: "")
                .removeAll()
        }
    }

    /// The cache of the current user; nil before the initialisation, before any user is named, and
    /// after a logout.
    private static var cache: FileCache? {
        let (door, settings) = (SBDMain.door, SBDMain.door.settings)
        guard let application = settings.applicationID, let user = door.account, !door.isLoggedOut
        else { return nil }
        let folder = Self.folder
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return FileCache(folder: folder, application: application, user: user)
    }

    /// The folder beside the cache's.
    private static var folder: String {
        Door.Settings.folder(SBDMain.door.settings.folder) + "-files"
    }
}
