// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension StandardError {
    /// Reports the progress of a migration, which takes a while for a large cache.
    static func reportMigration(_ done: Int, of total: Int) {
        write("roost: migrating the cache, \(done) of \(total) messages")
    }
}
