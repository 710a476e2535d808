// SPDX-License-Identifier: Apache-2.0

package import RoostModel
internal import RoostSQLite

/// The look-up cache of users: each user of recent commits, before the present commit and now.
///
/// A user is described by a page or a frame (`learn`) and stored in one row. The writer keeps this
/// cache from commit to commit, and drops it after a rollback.
struct KnownUsers {
    private struct Entry {
        let row: Int64
        /// Nil for a user that this commit has added.
        var before: User?
        var now: User
        /// The last partial description of the user; nil after a full one.
        ///
        /// A page repeats its senders many times, and an equal description is skipped.
        var described: User?
        /// Whether the last description was complete, that is, equal to `now`.
        var isDescribedInFull = false
        /// Whether the row could not be read and was written anew.
        var isHealed = false
    }

    private let connection: Connection
    private var entries: [Entry] = []
    private var indexByID: [UserID: Int] = [:]
    private var indexByRow: [Int64: Int] = [:]
    /// The users that this commit has added or changed.
    private var changed: Set<Int> = []
    /// Whether this commit has changed no known user and has described each user completely.
    ///
    /// Then the users inside its messages are right already, and `now` and `before` are not needed.
    /// Nearly every page is of this kind.
    private(set) var areAsDescribed = true

    var count: Int { entries.count }

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Stores a description of a user.
    ///
    /// A full description replaces the known user. A partial one leaves the fields that it lacks
    /// (`User.learning`). Each replaces a row that cannot be read.
    ///
    /// - Returns: The number of the user's row.
    @discardableResult
    mutating func learn(_ user: User, inFull: Bool) throws(SQLiteError) -> Int64 {
        let found: Int?
        do throws(SQLiteError) {
            found = try find(user.id)
        } catch  where error.isMalformedValue {
            return try heal(user, because: error)
        }
        guard let index = found else {
            let row = try connection.insertUser(user)
            changed.insert(entries.count)
            add(Entry(row: row, before: nil, now: user))
            return row
        }
        if !inFull, user == entries[index].described {
            if !entries[index].isDescribedInFull { areAsDescribed = false }
            return entries[index].row
        }
        let now = inFull ? user : entries[index].now.learning(user)
        entries[index].described = inFull ? nil : user
        entries[index].isDescribedInFull = user == now
        if user != now { areAsDescribed = false }
        if now != entries[index].now {
            areAsDescribed = false
            entries[index].now = now
            changed.insert(index)
            try connection.updateUser(StoredUser(row: entries[index].row, user: now))
        }
        return entries[index].row
    }

    /// Writes a user over a row that cannot be read; the user before this commit is unknown.
    private mutating func heal(
        _ user: User, because error: SQLiteError
    ) throws(SQLiteError) -> Int64 {
        guard let row = try connection.userRow(user.id) else { throw error }
        try connection.rewriteUser(StoredUser(row: row, user: user))
        changed.insert(entries.count)
        add(Entry(row: row, before: nil, now: user, isHealed: true))
        return row
    }

    /// Returns the row of a user.
    ///
    /// - Precondition: `learn` was called for the user.
    func row(_ id: UserID) -> Int64 {
        guard let index = indexByID[id] else {
            preconditionFailure("A user is learned before a row refers to the user.")
        }
        return entries[index].row
    }

    /// Returns the user of a row; another row refers to it, so it exists.
    mutating func user(inRow row: Int64) throws(SQLiteError) -> User {
        if let index = indexByRow[row] { return entries[index].now }
        let stored = try connection.user(inRow: row)
        add(Entry(row: row, before: stored.user, now: stored.user))
        return stored.user
    }

    /// Returns a user in the present state.
    func now(_ user: User) -> User {
        indexByID[user.id].map { entries[$0].now } ?? user
    }

    /// Returns a user in the state before this commit.
    func before(_ user: User) -> User {
        indexByID[user.id].map { entries[$0].before ?? entries[$0].now } ?? user
    }

    /// The users known before that have changed, in the order of their look-ups.
    var updates: [(before: User, now: User)] {
        changed.sorted().compactMap { index in
            let entry = entries[index]
            guard let before = entry.before, before != entry.now else { return nil }
            return (before, entry.now)
        }
    }

    /// The rows of changed users that a reader may know: all but the added ones.
    var changedRows: [Int64] {
        changed.compactMap { index -> Int64? in
            let entry = entries[index]
            return entry.before != nil || entry.isHealed ? entry.row : nil
        }
    }

    /// Begins the next commit; the state before it is the present one.
    mutating func settle() {
        for index in changed { entries[index].before = entries[index].now }
        changed.removeAll(keepingCapacity: true)
        areAsDescribed = true
    }

    private mutating func find(_ id: UserID) throws(SQLiteError) -> Int? {
        if let index = indexByID[id] { return index }
        guard let stored = try connection.user(id) else { return nil }
        add(Entry(row: stored.row, before: stored.user, now: stored.user))
        return entries.count - 1
    }

    private mutating func add(_ entry: Entry) {
        indexByID[entry.now.id] = entries.count
        indexByRow[entry.row] = entries.count
        entries.append(entry)
    }
}

extension User {
    /// Returns this user updated from a source with few fields.
    ///
    /// A sender in a frame has a name and a picture at most. Fields that the source leaves out are
    /// kept.
    package func learning(_ other: User) -> User {
        var user = self
        if !other.nickname.isEmpty { user.nickname = other.nickname }
        if !other.profileURL.isEmpty { user.profileURL = other.profileURL }
        if !other.metadata.isEmpty { user.metadata = other.metadata }
        user.isActive = other.isActive
        user.learnDetails(of: other)
        for field in other.unknownFields.fields { user.unknownFields.keep(field) }
        return user
    }
}
