// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// The change logs: what became of channels and messages that the cache holds.

extension SyncEngine {
    func cursor(_ key: CursorKey) async throws(RoostError) -> Cursor? {
        do { return try await reader.cursor(key).value } catch { throw RoostError(error) }
    }

    func applyMessageChanges(of channel: ChannelURL) async throws(RoostError) {
        try await run(.changeLog(ChangeLogReading(.messageChanges(channel))))
    }

    func applyChannelChanges() async throws(RoostError) {
        try await run(.changeLog(ChangeLogReading(.channelChanges)))
    }
}
