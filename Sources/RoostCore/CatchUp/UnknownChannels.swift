// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The channels of which the server has said that they do not exist.
package struct UnknownChannels: Equatable, Codable, Sendable {
    /// The most channels that are kept.
    private static let limit = 1_000

    private var urls: Set<ChannelURL> = []

    package init() {}

    package func contains(_ channel: ChannelURL) -> Bool { urls.contains(channel) }

    /// Notes an answer about a channel: a refusal, or nil for a success.
    mutating func note(_ refusal: RoostError?, of channel: ChannelURL) {
        guard let refusal else {
            urls.remove(channel)
            return
        }
        guard refusal.code.deniesExistence else { return }
        if urls.count >= Self.limit { urls = [] }
        urls.insert(channel)
    }
}

extension RoostError {
    /// The error of every call about a channel that does not exist, by an earlier answer of the
    /// server.
    package static let unknownChannel = RoostError(
        .channelNotFound, remedy: .correctInput, message: "The server has no such channel.")
}

extension RoostError.Code {
    /// Whether the channel does not exist, for the user or for any other.
    var deniesExistence: Bool { [.notFound, .channelNotFound].contains(self) }
}
