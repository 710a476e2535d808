// SPDX-License-Identifier: Apache-2.0

/// The selection of history to download.
public struct DownloadRequest: Hashable, Codable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case channels, since, pause
        case fixedStart = "start"
    }

    /// The channels in the order of the download; nil for all channels of the user, the latest
    /// message first.
    public var channels: [ChannelURL]?
    /// The earliest moment to download; `.distantPast` for the whole history.
    public var since: Timestamp
    /// The moment to begin at, in both directions by turns; `.distantFuture` begins with the newest
    /// message and leads back.
    public var start: Timestamp {
        get { fixedStart ?? .distantFuture }
        set { fixedStart = newValue == .distantFuture ? nil : newValue }
    }
    /// The pause between two requests; requests of open collections go first in any case.
    public var pause: Duration
    /// The moment to begin at, in both directions; nil for the newest message, and from it back.
    package private(set) var fixedStart: Timestamp?

    /// Creates a request; by default for the whole history of all channels.
    public init(
        channels: [ChannelURL]? = nil, since: Timestamp = .distantPast,
        startingAt start: Timestamp = .distantFuture, pause: Duration = .milliseconds(100)
    ) {
        self.channels = channels
        self.since = since
        self.pause = pause
        self.start = start
    }
}

/// The estimated size of a download, as far as the server sends it.
public struct DownloadEstimate: Hashable, Codable, Sendable {
    /// The greatest number of messages to fetch; nil if the server does not count them.
    public let missingMessages: Int?
    /// The expected size on disk, by the average of cached messages; nil if unknown.
    public let size: ByteCount?

    package init(missingMessages: Int?, size: ByteCount?) {
        self.missingMessages = missingMessages
        self.size = size
    }
}
