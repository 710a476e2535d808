// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// The users that commits have met, as they were before the last one and as they are now.
struct UserBook {
    private struct Entry {
        let row: Int64
        /// Nil for a user whom this commit has made.
        var before: User?
        var now: User
        /// The user as the last page mentioned them.
        ///
        /// A page repeats its senders many times.
        var told: User?
        /// Whether that is all that is known of them.
        var isAllTold = false
    }

    private let connection: Connection
    private var entries: [Entry] = []
    private var indexByID: [UserID: Int] = [:]
    private var indexByRow: [Int64: Int] = [:]
    /// Those that are not as they were before this commit, or were not there.
    private var changed: Set<Int> = []
    /// Whether everybody this commit has met was and is as it tells them, so that `now` and `before` need
    /// not be asked: nearly every page is by people who are known and have not changed.
    private(set) var areAsTold = true

    var count: Int { entries.count }

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Writes down a user, in full or as far as `user` tells.
    ///
    /// - Returns: The number of their row.
    @discardableResult
    mutating func learn(_ user: User, inFull: Bool) throws(SQLiteError) -> Int64 {
        guard let index = try find(user.id) else {
            let row = try connection.insertUser(user)
            changed.insert(entries.count)
            add(Entry(row: row, before: nil, now: user))
            return row
        }
        if !inFull, user == entries[index].told {
            if !entries[index].isAllTold { areAsTold = false }
            return entries[index].row
        }
        let now = inFull ? user : entries[index].now.learning(user)
        entries[index].told = inFull ? nil : user
        entries[index].isAllTold = user == now
        if user != now { areAsTold = false }
        if now != entries[index].now {
            areAsTold = false
            entries[index].now = now
            changed.insert(index)
            try connection.updateUser(StoredUser(row: entries[index].row, user: now))
        }
        return entries[index].row
    }

    /// The row of a user whom this commit has met.
    func row(_ id: UserID) -> Int64 {
        guard let index = indexByID[id] else {
            preconditionFailure("A user is learned before somebody refers to them.")
        }
        return entries[index].row
    }

    /// The user of a row that another row refers to.
    mutating func user(inRow row: Int64) throws(SQLiteError) -> User {
        if let index = indexByRow[row] { return entries[index].now }
        let stored = try connection.user(inRow: row)
        add(Entry(row: row, before: stored.user, now: stored.user))
        return stored.user
    }

    /// A user as they are now, whatever was said of them on the way.
    func now(_ user: User) -> User {
        indexByID[user.id].map { entries[$0].now } ?? user
    }

    /// A user as they were before this commit.
    func before(_ user: User) -> User {
        indexByID[user.id].map { entries[$0].before ?? entries[$0].now } ?? user
    }

    /// The users known before who are not what they were, in the order they were met.
    var updates: [(before: User, now: User)] {
        changed.sorted().compactMap { index in
            let entry = entries[index]
            guard let before = entry.before, before != entry.now else { return nil }
            return (before, entry.now)
        }
    }

    /// The rows of those who were known before this commit and have changed.
    var changedRows: [Int64] {
        changed.isEmpty ? [] : changed.filter { entries[$0].before != nil }.map { entries[$0].row }
    }

    /// Begins the next commit, for which this one is past.
    mutating func settle() {
        for index in changed { entries[index].before = entries[index].now }
        changed.removeAll(keepingCapacity: true)
        areAsTold = true
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
    /// This user with what another source says of them in passing.
    ///
    /// A sender inside a frame has a name and a picture at most, so what such a source leaves out is
    /// kept; it says nothing by leaving it out.
    func learning(_ other: User) -> User {
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
