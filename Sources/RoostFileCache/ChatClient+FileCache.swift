// SPDX-License-Identifier: Apache-2.0

public import Roost

extension ChatClient {
    /// Takes over what a file cache holds of channels: the list, and the messages of each channel on it.
    ///
    /// What the client knows already, it knows better, and keeps. A file does not say whether its
    /// messages are all there were, so each stands for itself, and a timeline asks the server for what lies
    /// between; only where the app is sure, as after saving what one screen showed, it may say `areWhole`.
    ///
    /// - Returns: How many messages the files held for this user.
    /// - Throws: `.localDatabaseError` when the database refuses; the files stay as they are.
    @discardableResult
    public func importFiles(
        of cache: FileCache, areWhole: Bool = false
    ) async throws(RoostError) -> Int {
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
