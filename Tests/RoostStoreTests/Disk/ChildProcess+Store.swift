// SPDX-License-Identifier: Apache-2.0

import RoostTestSupport

extension ChildProcess {
    /// Starts another process that works on a store; see `Tests/StoreActor`.
    static func onStore(
        _ role: String, _ path: String, seed: Int, count: Int
    ) throws -> ChildProcess {
        try ChildProcess(try built("StoreActor"), [role, path, "\(seed)", "\(count)"])
    }
}
