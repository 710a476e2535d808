// SPDX-License-Identifier: Apache-2.0

internal import RoostFileCache
internal import RoostModel
internal import RoostWire

/// The basic cache of the old guides (`FileCache`): a file for each channel, and one for the list.
///
/// A peer of ours for the first screen and the size. It has the newest 100 messages of a channel
/// and no more, and reads and writes whole files.
struct FilesCache {
    private let cache: FileCache
    private var known: Set<ChannelURL> = []
    /// The number of messages that it keeps.
    private(set) var messageCount = 0

    /// Makes a cache in a folder of its own.
    init(_ folder: String) throws(BenchError) {
        try Machine.makeFolder(folder)
        cache = FileCache(folder: folder, application: "bench", user: "user-0000")
    }

    func putChannels(_ body: [UInt8]) throws(BenchError) {
        let channels: [GroupChannel]
        do throws(WireError) {
            var reader = try JSONReader(bytes: body)
            channels = try ListMyChannels.read(&reader).channels
        } catch {
            throw BenchError(error)
        }
        try check(cache.save(channels))
    }

    /// Saves a page, if it is the first of its channel: pages come newest first.
    mutating func putPage(_ body: [UInt8]) throws(BenchError) {
        let messages: [Message]
        do throws(WireError) {
            var reader = try JSONReader(bytes: body)
            messages = try ListMessages.read(&reader).messages
        } catch {
            throw BenchError(error)
        }
        guard let channel = messages.first?.channelURL, known.insert(channel).inserted else {
            return
        }
        try check(cache.save(messages, in: channel))
        messageCount += min(messages.count, FileCache.limit)
    }

    /// Reads the first channels and the newest messages of one; returns the number of messages.
    func firstScreen(
        of channel: String, channels: Int, messages: Int
    ) throws(BenchError) -> Int {
        guard let list = cache.loadChannels(), list.values.count >= channels else {
            throw BenchError("The cache in files has lost its list of channels.")
        }
        // A channel without messages has no file.
        return cache.loadMessages(in: ChannelURL(channel))?.values.suffix(messages).count ?? 0
    }

    private func check(_ isSaved: Bool) throws(BenchError) {
        guard isSaved else { throw BenchError("The cache in files could not be written.") }
    }
}
