// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension Migration {
    /// The index of edits goes: every edit paid for it, and few ask (`StoreReader.edited`, which makes it).
    ///
    /// Frozen: what has to change comes as the next number.
    static let cache0004 = Migration(4, "no index of edits", "DROP INDEX IF EXISTS message_by_edit")
}
