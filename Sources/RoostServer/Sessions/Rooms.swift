// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The sockets inside each open channel.
///
/// A place in a room ends with its socket; a client that connects again also enters again
/// (`docs/protocol` 2.7).
final class Rooms: ServerPart {
    /// A socket inside, with its user.
    struct Place {
        let session: SessionID
        let user: UserID
    }

    /// The places in one channel.
    private struct Room {
        var places = EntryList<SessionID, Place>()
        /// The users, each with the number of its sockets.
        var users = EntryList<UserID, Int>()
    }

    let context: ServerContext
    private let publisher: EventPublisher
    private var inside: [ChannelURL: Room] = [:]
    /// The channels of each socket.
    private var rooms: [SessionID: EntryList<ChannelURL, ChannelURL>] = [:]

    init(_ context: ServerContext, _ publisher: EventPublisher) {
        self.context = context
        self.publisher = publisher
    }

    /// Returns the sockets in a channel, in the order of entry.
    func places(in url: ChannelURL) -> [Place] { inside[url]?.places.elements ?? [] }

    /// Returns the users in a channel, each once, in the order of entry.
    func participants(of url: ChannelURL) -> [UserID] { inside[url]?.users.keys ?? [] }

    /// Returns the users in a channel at all servers, each once.
    func allParticipants(of url: ChannelURL) async -> [UserID] {
        guard let peers = context.peers else { return participants(of: url) }
        let elsewhere = await peers.participants(of: url)
        // Sorted, because the next page may be asked of another server.
        return Set(participants(of: url) + elsewhere).sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the numbers of users in channels at all servers.
    func totals(in urls: [ChannelURL]) async -> [ChannelURL: Int] {
        let elsewhere = await context.peers?.counts(in: urls) ?? [:]
        return Dictionary(urls.map { ($0, count(in: $0) + elsewhere[$0, default: 0]) }) { $1 }
    }

    /// Returns the number of users in a channel at all servers.
    func total(in url: ChannelURL) async -> Int { await totals(in: [url])[url] ?? 0 }

    /// Whether a user has a socket in a channel at any server.
    func containsAnywhere(_ id: UserID, in url: ChannelURL) async -> Bool {
        if contains(id, in: url) { return true }
        return await containsElsewhere(id, in: url)
    }

    /// Whether a user has a socket in a channel at another server.
    func containsElsewhere(_ id: UserID, in url: ChannelURL) async -> Bool {
        await context.peers?.isTaken(PresencePlace(user: id, room: url)) ?? false
    }

    /// Returns the number of users in a channel at this server.
    ///
    /// - Complexity: Constant, as that of `contains`, `enter`, and of `exit` on average.
    func count(in url: ChannelURL) -> Int { inside[url]?.users.count ?? 0 }

    /// Whether a socket is inside a channel.
    func contains(_ id: SessionID, in url: ChannelURL) -> Bool {
        inside[url]?.places[id] != nil
    }

    /// Whether a user has a socket in a channel.
    func contains(_ id: UserID, in url: ChannelURL) -> Bool { inside[url]?.users[id] != nil }

    /// Lets a socket in.
    ///
    /// - Returns: Whether the user had no other socket in the channel.
    /// - Throws: The refusal of one socket too many in the channel, or of one channel too many of the
    ///   socket.
    func enter(
        _ id: SessionID, of user: UserID, _ url: ChannelURL
    ) throws(ServerError) -> Bool {
        let sockets = inside[url]?.users[user] ?? 0
        guard !contains(id, in: url) else { return false }
        guard inside[url]?.places.count ?? 0 < limits.participants else {
            throw ServerError(
                RoostError.Code(900_400),
                "An open channel may have \(limits.participants) participants at most.")
        }
        try limits.check(
            count: (rooms[id]?.count ?? 0) + 1, "open channels of a connection",
            atMost: limits.roomsPerSession)
        inside[url, default: Room()].places[id] = Place(session: id, user: user)
        inside[url]?.users[user] = sockets + 1
        if sockets == 0 {
            context.peers?.note(PresencePlace(user: user, room: url), isTaken: true)
        }
        rooms[id, default: EntryList()][url] = url
        return sockets == 0
    }

    /// Takes a socket out of a channel.
    func exit(_ id: SessionID, _ url: ChannelURL) {
        guard let place = inside[url]?.places[id] else { return }
        inside[url]?.places[id] = nil
        let sockets = inside[url]?.users[place.user] ?? 0
        inside[url]?.users[place.user] = sockets > 1 ? sockets - 1 : nil
        if sockets <= 1 {
            context.peers?.note(PresencePlace(user: place.user, room: url), isTaken: false)
        }
        rooms[id]?[url] = nil
        if inside[url]?.places.count == 0 { inside[url] = nil }
        if rooms[id]?.count == 0 { rooms[id] = nil }
    }

    /// Takes a socket out of every channel.
    ///
    /// - Returns: The channels it was in.
    func exitAll(_ id: SessionID) -> [ChannelURL] {
        let urls = rooms[id]?.keys ?? []
        for url in urls { exit(id, url) }
        return urls
    }

    /// Takes every socket out of a deleted channel.
    func close(_ url: ChannelURL) {
        for place in places(in: url) { exit(place.session, url) }
    }

    /// Takes every socket of a banned user out of a channel and publishes the exit.
    func evict(_ id: UserID, from url: ChannelURL) async {
        if takeOut(id, from: url) { await publishExit(id, from: url) }
    }

    /// Takes every socket of a user out of a channel.
    ///
    /// - Returns: Whether the user was inside; the exit is not published yet.
    func takeOut(_ id: UserID, from url: ChannelURL) -> Bool {
        let gone = places(in: url).filter { $0.user == id }
        for place in gone { exit(place.session, url) }
        return !gone.isEmpty
    }

    // MARK: Events

    /// Publishes the entry of a user.
    func publishEntry(_ user: User, in url: ChannelURL, except session: SessionID) async {
        await publish(.entered, user, in: url, except: session)
    }

    /// Publishes the exit of a user, unless another socket of the user is inside.
    func publishExit(_ id: UserID, from url: ChannelURL) async {
        guard await !containsAnywhere(id, in: url), let user = try? await storage.user(id),
            // The user may have come back meanwhile.
            !contains(id, in: url)
        else { return }
        await publish(.exited, user, in: url)
    }

    private func publish(
        _ category: ChannelEvent.Category, _ user: User, in url: ChannelURL,
        except: SessionID? = nil
    ) async {
        let count = await total(in: url)
        let event = ChannelEvent(
            category, channelURL: url, timestamp: world.now(),
            content: category == .entered
                ? .entered(user, participants: count) : .exited(user, participants: count))
        await publisher.publish(.channel(event), to: Audience(room: url), except: except)
    }
}
