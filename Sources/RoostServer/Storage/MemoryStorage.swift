// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A storage in memory. It is the storage of the simulator's model server; the contract suite
/// compares it with `SQLiteStorage`.
package actor MemoryStorage: Storage {
    private nonisolated let executor: any SerialExecutor

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    var users: [UserID: User] = [:]
    var userTraits: [UserID: UserTraits] = [:]
    private var activity: [Int: Set<UserID>] = [:]
    private var credentials = MemoryCredentials()
    var channels: [ChannelURL: MemoryChannel] = [:]
    /// The deleted channels, for the change logs of their members.
    var deleted: [ChannelURL: MemoryChannel] = [:]
    var distinct: [String: ChannelURL] = [:]
    var documents: [Int64: Document] = [:]
    var lastDocument: Int64 = 0
    var lastMessageID: Int64 = 0
    private var lastSequence: Int64 = 0
    private var lastChangedAt = Timestamp(milliseconds: 0)

    /// Whether each message has a later time than the one before.
    let spacesTimes: Bool
    let bounds: StorageBounds

    /// - Parameters:
    ///   - executor: The executor of the actor.
    ///   - spacesTimes: False allows messages of equal times, as on other servers.
    ///   - bounds: The rows that a call reads at most.
    package init(
        on executor: any SerialExecutor, spacesTimes: Bool = true,
        bounds: StorageBounds = StorageBounds()
    ) {
        self.executor = executor
        self.spacesTimes = spacesTimes
        self.bounds = bounds
    }

    package func prove() {}

    package nonisolated var unreadableCount: Int { 0 }

    package func user(_ id: UserID) -> User? { users[id] }

    package func users(_ ids: [UserID]) -> [User] { ids.compactMap { users[$0] } }

    package func users(after id: UserID?, limit: Int) -> [User] {
        let ids = users.keys.sorted().drop { key in id.map { key <= $0 } ?? false }
        return ids.prefix(limit).compactMap { users[$0] }
    }

    @discardableResult
    package func addUser(_ user: User) -> Bool {
        guard users[user.id] == nil else { return false }
        users[user.id] = user
        return true
    }

    package func userRecord(_ id: UserID) -> UserRecord? {
        users[id].map { UserRecord(user: $0, traits: userTraits[id] ?? UserTraits()) }
    }

    package func userRecords(_ ids: [UserID]) -> [UserRecord] { ids.compactMap { userRecord($0) } }

    package func updateUser(
        _ id: UserID, _ change: @Sendable (inout UserRecord) -> Void
    ) -> UserRecord? {
        guard var record = userRecord(id) else { return nil }
        change(&record)
        users[id] = record.user
        userTraits[id] = record.traits
        if !record.user.isActive { credentials.closeSessions(of: id) }
        return record
    }

    package func blockers(of id: UserID, after: UserID?, limit: Int) -> [User] {
        let ids = userTraits.filter { $0.value.blocked.contains(id) }.keys.sorted()
        return ids.filter { $0 > after ?? UserID("") }.prefix(limit).compactMap { users[$0] }
    }

    package func deviceOwners(
        _ kind: String, _ token: String, after id: UserID?, limit: Int
    ) -> [UserID] {
        let ids = userTraits.filter { $0.value.devices[kind]?.contains(token) == true }.keys
        return Array(ids.sorted().filter { $0 > id ?? UserID("") }.prefix(limit))
    }

    package func noteActivity(of ids: [UserID], on day: Int, forgettingBefore first: Int) {
        activity = activity.filter { $0.key >= first }
        for id in ids where users[id] != nil { activity[day, default: []].insert(id) }
    }

    package func activeUsers(from first: Int, through last: Int) -> Int {
        activity.reduce(into: Set<UserID>()) { active, day in
            if first <= day.key, day.key <= last { active.formUnion(day.value) }
        }.count
    }

    package func deleteUser(_ id: UserID, now: Timestamp) -> [ChannelURL]? {
        guard users[id] != nil else { return nil }
        let urls = channels.keys.sorted().filter { removeMember(id, from: $0, now: now) }
        for channel in channels.values { channel.memberships[id]?.role = .none }
        documents = documents.filter { !$0.value.endsWithUser(id) }
        users[id] = nil
        userTraits[id] = nil
        credentials.forget(id)
        return urls
    }

    package func token(_ number: Int64?, of id: UserID) -> UserToken {
        credentials.token(number, of: id)
    }

    package func addToken(
        _ kept: KeptSecret, for id: UserID, expiresAt: Timestamp?, limit: Int
    ) -> AddedCredential? {
        guard users[id] != nil else { return nil }
        return credentials.addToken(kept, for: id, expiresAt: expiresAt, limit: limit)
    }

    package func openSession(
        _ kept: KeptSecret, for id: UserID, by token: Int64?, expiresAt: Timestamp?, limit: Int
    ) -> AddedCredential? {
        guard users[id]?.isActive == true else { return nil }
        return credentials.openSession(
            kept, for: id, by: token, expiresAt: expiresAt, limit: limit)
    }

    package func session(_ number: Int64) -> SessionRecord? { credentials.session(number) }

    package func closeSessions(of id: UserID) { credentials.closeSessions(of: id) }

    package func forgetEnded(by moment: Timestamp, limit: Int) -> Int {
        credentials.forgetEnded(by: moment, limit: limit)
    }

    /// Returns the number and time of a new change; both only grow.
    func nextChange(_ now: Timestamp) -> (sequence: Int64, at: Timestamp) {
        lastSequence += 1
        lastChangedAt = max(lastChangedAt, now)
        return (lastSequence, lastChangedAt)
    }

    var currentSequence: Int64 { lastSequence }

    /// The URLs of all channels, in order.
    package var channelURLs: [ChannelURL] { channels.keys.sorted() }

    /// Returns a channel's log, with the last change of each entry; for tests and tools.
    ///
    /// - Complexity: Constant; nothing is copied.
    package func entries(of url: ChannelURL) -> [MemoryChannel.Entry] { channels[url]?.log ?? [] }

    /// Returns the time through which a channel's messages are hidden from a user; for tests and
    /// tools.
    package func messageOffset(of id: UserID, in url: ChannelURL) -> Timestamp? {
        channels[url]?.memberships[id]?.traits.messageOffset
    }
}

/// A channel with its members and its log; confined to its storage.
package final class MemoryChannel {
    struct Membership {
        var state: MembershipState
        var role: Role
        var joinedAt: Timestamp?
        var lastRead: Timestamp?
        var deliveredAt: Timestamp?
        var hidden = HiddenState.unhidden
        var traits = MemberTraits()
        var change: (sequence: Int64, at: Timestamp)
    }

    package struct Entry: Sendable {
        package var message: Message
        package var change: (sequence: Int64, at: Timestamp)
        package var deletedAt: Timestamp?
        var edits = MadeEdits()
    }

    struct Request: Hashable {
        var sender: UserID
        var id: RequestID
    }

    var record: ChannelRecord
    var memberships: [UserID: Membership] = [:]
    var memberOrder: [UserID] = []
    /// The log in the order of positions and of IDs.
    var log: [Entry] = []
    var requests: [Request: Int] = [:]
    var change: (sequence: Int64, at: Timestamp)
    /// The time of the deletion; nil for a live channel.
    var deletedAt: Timestamp?

    init(record: ChannelRecord, change: (sequence: Int64, at: Timestamp)) {
        self.record = record
        self.change = change
    }

    var members: [UserID] { memberOrder.filter { memberships[$0]?.state != MembershipState.none } }

    /// Returns the index of a message in the log.
    func index(of id: MessageID) -> Int? {
        var range = log.indices
        while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
            guard let found = log[middle].message.messageID else { return nil }
            if found == id { return middle }
            range = found < id ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}
