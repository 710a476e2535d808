// SPDX-License-Identifier: Apache-2.0

import Roost
package import RoostModel

// The doors have one class for both kinds of channel, with the value of a group channel.

extension GroupChannel {
    private static let participantCount = "participant_count"

    /// Creates the value of an open channel, with the number of its participants as a further
    /// field.
    package init(_ channel: OpenChannel) {
        self.init(
            url: channel.url, name: channel.name, coverURL: channel.coverURL, data: channel.data,
            customType: channel.customType, createdAt: channel.createdAt,
            isFrozen: channel.isFrozen, unknownFields: channel.unknownFields)
        isEphemeral = channel.isEphemeral
        operators = channel.operators
        metadata = channel.metadata
        messageSurvivalSeconds = channel.messageSurvivalSeconds
        unknownFields.keep(
            .init(name: Self.participantCount, json: String(channel.participantCount)))
    }

    /// The number of users inside an open channel; 0 if it is unknown.
    package var participants: Int {
        unknownFields[Self.participantCount].flatMap { Int($0) } ?? 0
    }
}

extension ChatClient {
    /// Returns the channel of an event as the app shows it; nil for one that is gone.
    func channel(of event: ChatEvent) async -> GroupChannel? {
        guard let url = event.channel else { return nil }
        if case .openChannel = event {
            return await enteredOpenChannels().first { $0.url == url }.map { GroupChannel($0) }
        }
        return try? await cachedChannel(url)
    }
}
