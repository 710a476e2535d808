// SPDX-License-Identifier: Apache-2.0

public import Roost
import RoostModel

extension ChatClient {
    /// Imports a file cache into the client's cache: the channel list, and the messages of each
    /// listed channel.
    ///
    /// Objects that the client already has stay as they are, and so does a cache that has been
    /// brought up to date by a connection: a file may have a channel that the user has left since,
    /// or a message that was deleted. A file does not say whether its
    /// messages are complete. So each message stands alone by default, and a timeline asks the
    /// server for those in between.
    ///
    /// - Parameters:
    ///   - cache: The file cache.
    ///   - areWhole: Whether the saved messages of each channel are consecutive, as after saving
    ///     one screen.
    /// - Returns: The number of messages in the files of this user.
    /// - Throws: `.invalidParameter` for a file cache of another user; `.localDatabaseError`. The
    ///   files stay as they are.
    @discardableResult
    public func importFiles(
        of cache: FileCache, areWhole: Bool = false
    ) async throws(RoostError) -> Int {
        guard cache.user == configuration.userID else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "The file cache is of the user \(cache.user), not of "
                    + "\(configuration.userID): open it for the user of the client.")
        }
        let channels = cache.loadChannels()?.values ?? []
        try await adopt(channels)
        var count = 0
        for channel in channels {
            guard let messages = cache.loadMessages(in: channel.url)?.values else { continue }
            try await adopt(messages, in: channel.url, areWhole: areWhole)
            count += messages.count
        }
        return count
    }
}
