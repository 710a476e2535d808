// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The sockets inside each open channel.
///
/// A place in a room ends with its socket; a client that connects again also enters again
/// (`docs/protocol` 2.7).
final class Rooms: ServerPart {
    private struct Place {
        let session: SessionID
        let user: UserID
    }

    let context: ServerContext
    private let publisher: EventPublisher
    /// The places by channel, in the order of entry.
    private var inside: [ChannelURL: [Place]] = [:]
    private var rooms: [SessionID: [ChannelURL]] = [:]

    init(_ context: ServerContext, _ publisher: EventPublisher) {
        self.context = context
        self.publisher = publisher
    }

    /// The sockets in a channel, in the order of entry.
    func sessions(in url: ChannelURL) -> [SessionID] { (inside[url] ?? []).map(\.session) }

    /// The users in a channel, each once, in the order of entry.
    func participants(of url: ChannelURL) -> [UserID] {
        var seen: Set<UserID> = []
        return (inside[url] ?? []).map(\.user).filter { seen.insert($0).inserted }
    }

    /// Whether a socket is inside a channel.
    func contains(_ id: SessionID, in url: ChannelURL) -> Bool {
        rooms[id]?.contains(url) ?? false
    }

    /// Lets a socket in.
    ///
    /// - Returns: Whether the user had no other socket in the channel.
    func enter(_ id: SessionID, of user: UserID, _ url: ChannelURL) -> Bool {
        let isNew = !participants(of: url).contains(user)
        guard !contains(id, in: url) else { return isNew }
        inside[url, default: []].append(Place(session: id, user: user))
        rooms[id, default: []].append(url)
        return isNew
    }

    /// Takes a socket out of a channel.
    func exit(_ id: SessionID, _ url: ChannelURL) {
        inside[url]?.removeAll { $0.session == id }
        rooms[id]?.removeAll { $0 == url }
        if inside[url]?.isEmpty == true { inside[url] = nil }
        if rooms[id]?.isEmpty == true { rooms[id] = nil }
    }

    /// Takes a socket out of every channel.
    ///
    /// - Returns: The channels it was in.
    func exitAll(_ id: SessionID) -> [ChannelURL] {
        let urls = rooms[id] ?? []
        for url in urls { exit(id, url) }
        return urls
    }

    /// Takes every socket out of a deleted channel.
    func close(_ url: ChannelURL) {
        for id in sessions(in: url) { exit(id, url) }
    }

    /// Takes every socket of a banned user out of a channel and publishes the exit.
    func evict(_ id: UserID, from url: ChannelURL) async {
        let gone = (inside[url] ?? []).filter { $0.user == id }
        for place in gone { exit(place.session, url) }
        if !gone.isEmpty { await publishExit(id, from: url) }
    }

    // MARK: Events

    /// Publishes the entry of a user.
    func publishEntry(_ user: User, in url: ChannelURL, except session: SessionID) async {
        await publish(.entered, user, in: url, except: session)
    }

    /// Publishes the exit of a user, unless another socket of the user is inside.
    func publishExit(_ id: UserID, from url: ChannelURL) async {
        guard !participants(of: url).contains(id), let user = try? await storage.user(id) else {
            return
        }
        await publish(.exited, user, in: url)
    }

    private func publish(
        _ category: ChannelEvent.Category, _ user: User, in url: ChannelURL,
        except: SessionID? = nil
    ) async {
        let count = participants(of: url).count
        let event = ChannelEvent(
            category, channelURL: url, timestamp: world.now(),
            content: category == .entered
                ? .entered(user, participants: count) : .exited(user, participants: count))
        await publisher.publish(.channel(event), to: Audience(room: url), except: except)
    }
}
