// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Synchronization

/// A storage that counts its calls, and takes a step of the test before one of them.
final class HookedStorage: Storage {
    private struct State {
        var counts: [String: Int] = [:]
        var steps: [String: @Sendable () async -> Void] = [:]
        var unreadLimits: [Int] = []
        var refused: Set<String> = []
    }

    let base: any Storage
    private let state = Mutex(State())

    init(_ base: any Storage) { self.base = base }

    /// The number of calls of each name since the last look.
    func takeCounts() -> [String: Int] {
        state.withLock { state in
            defer { state.counts = [:] }
            return state.counts
        }
    }

    /// The limits of the counts of unread messages so far.
    var unreadLimits: [Int] { state.withLock { $0.unreadLimits } }

    /// Takes a step before the next call of a name.
    func before(_ name: String, _ step: @escaping @Sendable () async -> Void) {
        state.withLock { $0.steps[name] = step }
    }

    /// Refuses the next call of a name, which must be one that asks `check`.
    func refuse(_ name: String) { state.withLock { _ = $0.refused.insert(name) } }

    private func check(_ name: String) throws(StorageError) {
        if state.withLock({ $0.refused.remove(name) }) != nil {
            throw StorageError("The test refuses \(name).")
        }
    }

    private func note(_ name: String) async {
        let step = state.withLock { state in
            state.counts[name, default: 0] += 1
            return state.steps.removeValue(forKey: name)
        }
        await step?()
    }

    var unreadableCount: Int { base.unreadableCount }

    func prove() async throws(StorageError) { try await base.prove() }

    func user(_ id: UserID) async throws(StorageError) -> User? {
        await note("user")
        return try await base.user(id)
    }

    func users(_ ids: [UserID]) async throws(StorageError) -> [User] {
        await note("users")
        return try await base.users(ids)
    }

    func users(after id: UserID?, limit: Int) async throws(StorageError) -> [User] {
        await note("users")
        return try await base.users(after: id, limit: limit)
    }

    func addUser(_ user: User) async throws(StorageError) -> Bool {
        await note("addUser")
        return try await base.addUser(user)
    }

    func userRecord(_ id: UserID) async throws(StorageError) -> UserRecord? {
        await note("userRecord")
        return try await base.userRecord(id)
    }

    func userRecords(_ ids: [UserID]) async throws(StorageError) -> [UserRecord] {
        await note("userRecords")
        return try await base.userRecords(ids)
    }

    func updateUser(
        _ id: UserID, _ change: @Sendable (inout UserRecord) -> Void
    ) async throws(StorageError) -> UserRecord? {
        await note("updateUser")
        return try await base.updateUser(id, change)
    }

    func blockers(of id: UserID, after: UserID?, limit: Int) async throws(StorageError) -> [User] {
        await note("blockers")
        return try await base.blockers(of: id, after: after, limit: limit)
    }

    func noteActivity(
        of ids: [UserID], on day: Int, forgettingBefore first: Int
    ) async throws(StorageError) {
        await note("noteActivity")
        return try await base.noteActivity(of: ids, on: day, forgettingBefore: first)
    }

    func activeUsers(from first: Int, through last: Int) async throws(StorageError) -> Int {
        await note("activeUsers")
        return try await base.activeUsers(from: first, through: last)
    }

    func deviceOwners(
        _ kind: String, _ token: String, after id: UserID?, limit: Int
    ) async throws(StorageError) -> [UserID] {
        await note("deviceOwners")
        return try await base.deviceOwners(kind, token, after: id, limit: limit)
    }

    func deleteUser(_ id: UserID, now: Timestamp) async throws(StorageError) -> [ChannelURL]? {
        await note("deleteUser")
        return try await base.deleteUser(id, now: now)
    }

    func createChannel(
        _ new: NewChannel, now: Timestamp
    ) async throws(StorageError) -> CreateOutcome {
        await note("createChannel")
        return try await base.createChannel(new, now: now)
    }

    func access(to url: ChannelURL, of id: UserID?) async throws(StorageError) -> ChannelAccess? {
        await note("access")
        return try await base.access(to: url, of: id)
    }

    func updateChannel(
        _ url: ChannelURL, now: Timestamp, _ change: @Sendable (inout ChannelRecord) -> Void
    ) async throws(StorageError) -> ChannelRecord? {
        await note("updateChannel")
        return try await base.updateChannel(url, now: now, change)
    }

    func deleteChannel(_ url: ChannelURL, now: Timestamp) async throws(StorageError) -> Bool {
        await note("deleteChannel")
        return try await base.deleteChannel(url, now: now)
    }

    func channels(
        after url: ChannelURL?, limit: Int
    ) async throws(StorageError) -> [ChannelRecord] {
        await note("channels")
        return try await base.channels(after: url, limit: limit)
    }

    func channelRecords(_ urls: [ChannelURL]) async throws(StorageError) -> [ChannelRecord] {
        await note("channelRecords")
        return try await base.channelRecords(urls)
    }

    func addMembers(
        _ ids: [UserID], as state: MembershipState, inviter: UserID?, to url: ChannelURL,
        now: Timestamp
    ) async throws(StorageError) -> [UserID] {
        await note("addMembers")
        return try await base.addMembers(ids, as: state, inviter: inviter, to: url, now: now)
    }

    func removeMember(
        _ id: UserID, from url: ChannelURL, now: Timestamp
    ) async throws(StorageError) -> Bool {
        await note("removeMember")
        return try await base.removeMember(id, from: url, now: now)
    }

    func memberIDs(of url: ChannelURL) async throws(StorageError) -> [UserID] {
        await note("memberIDs")
        return try await base.memberIDs(of: url)
    }

    func someMemberIDs(
        of url: ChannelURL, atMost limit: Int
    ) async throws(StorageError) -> [UserID] {
        await note("someMemberIDs")
        return try await base.someMemberIDs(of: url, atMost: limit)
    }

    func audienceMembers(of url: ChannelURL) async throws(StorageError) -> [AudienceMember] {
        await note("audienceMembers")
        try check("audienceMembers")
        return try await base.audienceMembers(of: url)
    }

    func memberRecords(of url: ChannelURL) async throws(StorageError) -> [MemberRecord] {
        await note("memberRecords")
        return try await base.memberRecords(of: url)
    }

    func updateMember(
        _ id: UserID, of url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout MemberRecord) -> Void
    ) async throws(StorageError) -> MemberRecord? {
        await note("updateMember")
        return try await base.updateMember(id, of: url, now: now, change)
    }

    func members(
        of url: ChannelURL, after id: UserID?, limit: Int
    ) async throws(StorageError) -> [MemberRecord] {
        await note("members")
        return try await base.members(of: url, after: id, limit: limit)
    }

    func memberCounts(of urls: [ChannelURL]) async throws(StorageError) -> [ChannelURL: Int] {
        await note("memberCounts")
        return try await base.memberCounts(of: urls)
    }

    func memberRecords(
        of url: ChannelURL, among ids: [UserID]
    ) async throws(StorageError) -> [MemberRecord] {
        await note("memberRecordsAmong")
        return try await base.memberRecords(of: url, among: ids)
    }

    func operators(of urls: [ChannelURL]) async throws(StorageError) -> [ChannelURL: [User]] {
        await note("operators")
        return try await base.operators(of: urls)
    }

    func restrictedMembers(
        of url: ChannelURL, by kind: Restriction.Kind, at now: Timestamp, after id: UserID?,
        limit: Int
    ) async throws(StorageError) -> [MemberRecord] {
        await note("restrictedMembers")
        return try await base.restrictedMembers(
            of: url, by: kind, at: now, after: id, limit: limit)
    }

    func restrictedCount(
        of url: ChannelURL, atMost limit: Int, now: Timestamp
    ) async throws(StorageError) -> Int {
        await note("restrictedCount")
        return try await base.restrictedCount(of: url, atMost: limit, now: now)
    }

    func forgetHistory(
        of url: ChannelURL, through end: Timestamp, now: Timestamp
    ) async throws(StorageError) -> Bool {
        await note("forgetHistory")
        return try await base.forgetHistory(of: url, through: end, now: now)
    }

    func channelStates(
        _ urls: [ChannelURL], viewer: UserID?, withMembers: Bool
    ) async throws(StorageError) -> [ChannelState] {
        await note("channelStates")
        if withMembers { await note("membersOfStates") }
        return try await base.channelStates(urls, viewer: viewer, withMembers: withMembers)
    }

    func listings(of id: UserID) async throws(StorageError) -> [ChannelListing] {
        await note("listings")
        return try await base.listings(of: id)
    }

    func presentListings(of id: UserID) async throws(StorageError) -> [ChannelListing] {
        await note("presentListings")
        return try await base.presentListings(of: id)
    }

    func newestPlaces(
        of id: UserID, before end: Position
    ) async throws(StorageError) -> [NewestPlace] {
        await note("newestPlaces")
        return try await base.newestPlaces(of: id, before: end)
    }

    func markRead(
        _ url: ChannelURL, by id: UserID, now: Timestamp
    ) async throws(StorageError) -> Timestamp? {
        await note("markRead")
        return try await base.markRead(url, by: id, now: now)
    }

    func markDelivered(_ marks: [DeliveryMark]) async throws(StorageError) -> [DeliveryMark] {
        await note("markDelivered")
        try check("markDelivered")
        return try await base.markDelivered(marks)
    }

    func unreadTotal(of id: UserID, atMost limit: Int) async throws(StorageError) -> Int {
        await note("unreadTotal")
        state.withLock { $0.unreadLimits.append(limit) }
        return try await base.unreadTotal(of: id, atMost: limit)
    }

    func unreadCounts(
        in url: ChannelURL, of ids: Set<UserID>
    ) async throws(StorageError) -> [UserID: Int] {
        await note("unreadCounts")
        return try await base.unreadCounts(in: url, of: ids)
    }

    func append(
        _ messages: [Message], now: Timestamp
    ) async throws(StorageError) -> [Result<Appended?, StorageError>] {
        await note("append")
        return try await base.append(messages, now: now)
    }

    func appendUnheld(
        _ messages: [Message], now: Timestamp
    ) async throws(StorageError) -> [Result<Appended?, StorageError>] {
        await note("append")
        return try await base.appendUnheld(messages, now: now)
    }

    func edit(
        _ edit: EditCommand, mentioned: [User], now: Timestamp
    ) async throws(StorageError) -> EditOutcome {
        await note("edit")
        return try await base.edit(edit, mentioned: mentioned, now: now)
    }

    func updateMessage(
        _ id: MessageID, in url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout Message) -> Void
    ) async throws(StorageError) -> Message? {
        await note("updateMessage")
        return try await base.updateMessage(id, in: url, now: now, change)
    }

    func delete(
        _ id: MessageID, in url: ChannelURL, now: Timestamp
    ) async throws(StorageError) -> DeleteOutcome {
        await note("delete")
        return try await base.delete(id, in: url, now: now)
    }

    func message(_ id: MessageID, in url: ChannelURL) async throws(StorageError) -> Message? {
        await note("message")
        return try await base.message(id, in: url)
    }

    func importMessages(
        _ messages: [Message], into url: ChannelURL, _ marks: ImportMarks, now: Timestamp
    ) async throws(StorageError) -> ImportOutcome {
        await note("importMessages")
        return try await base.importMessages(messages, into: url, marks, now: now)
    }

    func isKnown(
        _ request: RequestID, of sender: UserID, in url: ChannelURL
    ) async throws(StorageError) -> Bool {
        await note("isKnown")
        return try await base.isKnown(request, of: sender, in: url)
    }

    func position(of id: MessageID, in url: ChannelURL) async throws(StorageError) -> Position? {
        await note("position")
        return try await base.position(of: id, in: url)
    }

    func positions(
        of ids: [MessageID], in url: ChannelURL
    ) async throws(StorageError) -> [MessageID: Position] {
        await note("positions")
        return try await base.positions(of: ids, in: url)
    }

    func findMessages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int
    ) async throws(StorageError) -> FoundMessages {
        await note("messages")
        return try await base.findMessages(
            in: url, range, filter, newestFirst: newestFirst, limit: limit)
    }

    func countMessages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, atMost limit: Int
    ) async throws(StorageError) -> CountedMessages {
        await note("messageCount")
        return try await base.countMessages(in: url, range, filter, atMost: limit)
    }

    func messageChanges(
        in url: ChannelURL, after point: ChangePoint, limit: Int
    ) async throws(StorageError) -> MessageChangePage {
        await note("messageChanges")
        return try await base.messageChanges(in: url, after: point, limit: limit)
    }

    func log(of url: ChannelURL) async throws(StorageError) -> [LogEntry] {
        await note("log")
        return try await base.log(of: url)
    }

    func log(
        of url: ChannelURL, before place: Position, limit: Int
    ) async throws(StorageError) -> [LogEntry] {
        await note("log")
        return try await base.log(of: url, before: place, limit: limit)
    }

    func token(_ number: Int64?, of id: UserID) async throws(StorageError) -> UserToken {
        await note("token")
        return try await base.token(number, of: id)
    }

    func addToken(
        _ kept: KeptSecret, for id: UserID, expiresAt: Timestamp?, limit: Int
    ) async throws(StorageError) -> AddedCredential? {
        await note("addToken")
        return try await base.addToken(kept, for: id, expiresAt: expiresAt, limit: limit)
    }

    func openSession(
        _ kept: KeptSecret, for id: UserID, by token: Int64?, expiresAt: Timestamp?, limit: Int
    ) async throws(StorageError) -> AddedCredential? {
        await note("openSession")
        return try await base.openSession(
            kept, for: id, by: token, expiresAt: expiresAt, limit: limit)
    }

    func session(_ number: Int64) async throws(StorageError) -> SessionRecord? {
        await note("session")
        try check("session")
        return try await base.session(number)
    }

    func closeSessions(of id: UserID) async throws(StorageError) {
        await note("closeSessions")
        return try await base.closeSessions(of: id)
    }

    func forgetEnded(by moment: Timestamp, limit: Int) async throws(StorageError) -> Int {
        await note("forgetEnded")
        return try await base.forgetEnded(by: moment, limit: limit)
    }

    func addDocument(_ document: Document) async throws(StorageError) -> Document {
        await note("addDocument")
        return try await base.addDocument(document)
    }

    func document(_ id: Int64, _ kind: Document.Kind) async throws(StorageError) -> Document? {
        await note("document")
        return try await base.document(id, kind)
    }

    func document(
        _ kind: Document.Kind, of owner: UserID, in url: ChannelURL, requestID: RequestID
    ) async throws(StorageError) -> Document? {
        await note("document")
        return try await base.document(kind, of: owner, in: url, requestID: requestID)
    }

    func updateDocument(
        _ id: Int64, _ kind: Document.Kind, _ change: @Sendable (inout Document) -> Void
    ) async throws(StorageError) -> Document? {
        await note("updateDocument")
        return try await base.updateDocument(id, kind, change)
    }

    func documents(
        _ kind: Document.Kind, of owner: UserID?, in url: ChannelURL?, after id: Int64, limit: Int
    ) async throws(StorageError) -> [Document] {
        await note("documents")
        return try await base.documents(kind, of: owner, in: url, after: id, limit: limit)
    }

    func documents(
        _ kind: Document.Kind, in url: ChannelURL, changedAfter place: (at: Int64, id: Int64),
        limit: Int
    ) async throws(StorageError) -> [Document] {
        await note("documents")
        return try await base.documents(kind, in: url, changedAfter: place, limit: limit)
    }

    func documents(
        _ kind: Document.Kind, among ids: [Int64]
    ) async throws(StorageError) -> [Document] {
        await note("documents")
        return try await base.documents(kind, among: ids)
    }

    func documentCount(_ kind: Document.Kind, of owner: UserID) async throws(StorageError) -> Int {
        await note("documentCount")
        return try await base.documentCount(kind, of: owner)
    }

    func removeFinishedDocuments(
        _ kind: Document.Kind, of owner: UserID, keeping limit: Int
    ) async throws(StorageError) {
        await note("removeFinishedDocuments")
        return try await base.removeFinishedDocuments(kind, of: owner, keeping: limit)
    }

    func waitingDocuments(
        _ kind: Document.Kind, of owner: UserID
    ) async throws(StorageError) -> Int {
        await note("waitingDocuments")
        return try await base.waitingDocuments(kind, of: owner)
    }

    func dueDocuments(
        _ kind: Document.Kind, through now: Timestamp, except channels: [ChannelURL], limit: Int
    ) async throws(StorageError) -> [Document] {
        await note("dueDocuments")
        return try await base.dueDocuments(kind, through: now, except: channels, limit: limit)
    }
}
