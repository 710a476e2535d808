// SPDX-License-Identifier: Apache-2.0

/// The progress of a download of history.
public struct DownloadProgress: Hashable, Codable, Sendable {
    /// The state of a download.
    public enum State: Hashable, Codable, Sendable {
        /// Requests are being made.
        case running
        /// The download waits for a connection.
        case waitingForConnection
        /// The app has paused the download.
        case paused
        /// All requested history is on disk, except for refused channels.
        case finished
        /// The app has canceled the download, or the client was closed.
        case canceled
    }

    /// The state of the download.
    public package(set) var state = State.running
    /// The number of channels; nil until the user's channels are known.
    public package(set) var channelCount: Int?
    /// The number of channels that are complete or refused.
    public package(set) var finishedChannels = 0
    /// The number of messages fetched so far.
    public package(set) var messages = 0
    /// The channel being downloaded; nil between channels and at the end.
    public package(set) var channel: ChannelURL?
    /// The time back to which that channel is covered, from its newest message or from the
    /// request's start; nil before its first page.
    public package(set) var reached: Timestamp?
    /// The channels that the server refused for good, with the reason; all others are downloaded.
    public package(set) var refused: [ChannelURL: RoostError.Code] = [:]

    package init() {}

    package var isOver: Bool { state == .finished || state == .canceled }
}
