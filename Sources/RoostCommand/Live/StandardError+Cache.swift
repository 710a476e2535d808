// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCommandLine
import RoostStore

extension StandardError {
    /// Reports the progress of a migration, which takes a while for a large cache.
    static func reportMigration(_ done: Int, of total: Int) {
        write("roost: migrating the cache, \(done) of \(total) messages")
    }

    /// Reports the repairs of an opening, because the next opening finds nothing wrong.
    static func report(_ repairs: Repairs) {
        for sentence in repairs.sentences { write(sentence) }
    }
}
