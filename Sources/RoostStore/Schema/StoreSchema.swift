// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite

/// The schemas of a store's two databases.
package struct StoreSchema: Sendable {
    package var cache: Migrator
    package var outbox: Migrator

    /// The schemas that this release reads and writes.
    package static let current = StoreSchema(
        // "RstC" and "RstO" in the files' headers.
        cache: Migrator(applicationID: 0x5273_7443, [.cache0001]),
        outbox: Migrator(applicationID: 0x5273_744F, [.outbox0001]))
}
