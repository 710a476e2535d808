// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension StandardError {
    /// Says how far a cache has been brought up to date, which takes a while for a large one.
    static func tellOfMoving(_ done: Int, of total: Int) {
        write("roost: bringing the cache up to date, \(done) of \(total) messages")
    }
}
