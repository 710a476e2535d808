// SPDX-License-Identifier: Apache-2.0

import RoostExecutors

extension SBSMSyncManager {
    /// Forgets the set-up, as a new process does; for tests, which share one process.
    package static func startOver() {
        let downloads = state.withLock { state in
            defer { state = State() }
            state.resending?.end()
            return Array(state.downloads.values)
        }
        for download in downloads { download.stop() }
    }
}
