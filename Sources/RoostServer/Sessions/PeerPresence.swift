// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A place of a user at this server: its sockets, or its sockets in one open channel.
package struct PresencePlace: Hashable, Sendable {
    package let user: UserID
    /// The open channel; nil for the server itself.
    package let room: ChannelURL?

    package init(user: UserID, room: ChannelURL? = nil) {
        self.user = user
        self.room = room
    }
}

/// The seam to the sockets at the other servers of an application.
///
/// The answers may be a moment old, and tell of nobody while the others cannot be asked.
package protocol PeerPresence: Sendable {
    /// Notes that a place has got its first socket, or lost its last one; returns at once.
    func note(_ place: PresencePlace, isTaken: Bool)
    /// Whether a place has sockets at other servers.
    func isTaken(_ place: PresencePlace) async -> Bool
    /// Returns the users among others who have sockets at other servers.
    ///
    /// - Complexity: One question for any number of users.
    func online(among ids: [UserID]) async -> Set<UserID>
    /// Returns the users in an open channel at other servers, each once.
    func participants(of url: ChannelURL) async -> [UserID]
    /// Returns the numbers of users in open channels who are there at other servers only.
    func counts(in urls: [ChannelURL]) async -> [ChannelURL: Int]
}
