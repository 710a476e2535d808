// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite
internal import RoostSealing

/// The intact items in the pages of a damaged outbox.
struct SalvagedItems: Sendable {
    /// The items in the order of writing, each once.
    let items: [SalvagedItem]
    /// The number of items of which only the name was found, or which cannot be decrypted.
    ///
    /// Nil if neither all rows nor all names were found, so there may have been more.
    let lostCount: Int?
    /// The highest number of the order of writing that may have been used.
    let lastSequence: Int64
    /// The vault of an encrypted outbox.
    let vault: SalvagedVault?

    /// The numbers to skip if the counter is lost, because lost rows may have them.
    private static let skippedNumbers: Int64 = 100

    /// `copy` is the sound copy of the vault; without one, the pages are searched for the vault.
    init(_ pages: PageSalvage, vault copy: SalvagedVault?) {
        var found: [Int64: SalvagedItem] = [:]
        var names: Set<String> = []
        for row in pages.rows {
            guard let item = SalvagedItem(id: row.id, row.values), found[item.sequence] == nil,
                names.insert(item.requestID).inserted
            else { continue }
            found[item.sequence] = item
        }
        let vault = copy ?? SalvagedVault(pages)
        self.vault = vault
        let isOpenable = { (item: SalvagedItem) in
            vault != nil || !SealedForm.isSealed(item.payload.span)
        }
        items = found.values.filter(isOpenable).sorted { $0.sequence < $1.sequence }
        // The index of request IDs has entries of a name and its row, and so has that of the
        // dropped changes. Numbers are skipped for both, because an unreachable page may be of
        // either.
        let pagesOfItems = pages.pagesOfTrees(of: "item")
        var named: Set<Int64> = []
        var known: Set<Int64> = []
        for entry in pages.entries {
            guard entry.values.count == 2, case .text = entry.values[0],
                case .integer(let row) = entry.values[1]
            else { continue }
            named.insert(row)
            if pagesOfItems.contains(entry.page) { known.insert(row) }
        }
        lostCount =
            pages.hasWholeTree(of: "item")
            ? known.union(found.keys).subtracting(items.map(\.sequence)).count : nil
        let noted = pages.rows.compactMap { row -> Int64? in
            guard row.values.count == 2, row.values[0] == .text("item"),
                case .integer(let number) = row.values[1]
            else { return nil }
            return number
        }
        let highest = (named.union(found.keys).max() ?? 0).clamped()
        lastSequence = max(
            highest, noted.max()?.clamped() ?? highest + Self.skippedNumbers)
    }
}

extension PageSalvage {
    /// Whether all rows of a table can be read, from the table or from one of its indices.
    fileprivate func hasWholeTree(of table: String) -> Bool {
        roots(of: table).contains { isWhole(root: $0) }
    }

    /// Returns the pages of a table and of its indices, as far as they can be reached.
    fileprivate func pagesOfTrees(of table: String) -> Set<Int> {
        roots(of: table).reduce(into: []) { $0.formUnion(pagesOfTree(root: $1)) }
    }

    /// Returns the root pages of a table and of its indices.
    private func roots(of table: String) -> [Int] {
        rows.compactMap { row -> Int? in
            // The columns of the schema's table: kind, name, table, root, SQL.
            guard row.values.count == 5, row.values[2] == .text(table),
                case .integer(let root) = row.values[3]
            else { return nil }
            return Int(clamping: root)
        }
    }
}

extension Int64 {
    /// Returns a number that allows additions without overflow, whatever a damaged page contains.
    fileprivate func clamped() -> Int64 { Swift.min(Swift.max(self, 0), .max / 2) }
}

extension SalvagedItem {
    /// Nil for a row of another table.
    fileprivate init?(id: Int64, _ values: [SalvagedValue]) {
        // The first column is the row's ID, which is stored outside the record.
        guard values.count == 9, values[0] == .null, case .text(let requestID) = values[1],
            case .text(let channel) = values[2], case .integer(let createdAt) = values[3],
            case .integer(let state) = values[4], case .integer(let attemptCount) = values[6],
            case .integer(let hasLeft) = values[7], case .blob(let payload) = values[8]
        else { return nil }
        let failureCode: Int64? = if case .integer(let code) = values[5] { code } else { nil }
        self.init(
            sequence: id, requestID: requestID, channel: channel, createdAt: createdAt,
            state: state, failureCode: failureCode, attemptCount: attemptCount, hasLeft: hasLeft,
            payload: payload)
    }
}

extension Query where Input == SalvagedItem, Output == Void {
    static let insertSalvaged = Query(
        sql: """
            INSERT INTO item
                (sequence, request_id, channel_url, created_at, state, failure_code,
                attempt_count, has_left, payload)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """,
        bind: { item, bindings in
            bindings.append(item.sequence)
            bindings.append(item.requestID)
            bindings.append(item.channel)
            bindings.append(item.createdAt)
            bindings.append(item.state)
            bindings.append(item.failureCode)
            bindings.append(item.attemptCount)
            bindings.append(item.hasLeft)
            bindings.append(item.payload)
        })
}
