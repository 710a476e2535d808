// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer

/// The messages that one device's cache has deleted as the log has: none of them comes back.
///
/// One exception is the acknowledgement of a message that is sent again after a relaunch: the server
/// sends the deletion behind it.
struct DeletedMessages {
    private var ids: Set<MessageID> = []
    /// Those of earlier processes.
    private var earlier: Set<MessageID> = []

    mutating func beginProcess() {
        earlier.formUnion(ids)
        ids = []
    }

    /// Checks the changes of one commit.
    mutating func follow(
        _ change: MessagesChange, _ log: ServerLog, on device: String
    ) throws(Violation) {
        for message in change.inserted {
            guard let id = message.messageID else { continue }
            try expect(
                !ids.contains(id) && (message.requestID != nil || !earlier.contains(id)),
                "\(device) brought back “\(message.text)” of \(change.channel), whose deletion it "
                    + "had")
        }
        for message in change.deleted {
            // A message that leaves the cache with its coverage was not deleted.
            guard let place = message.position,
                change.coverageAfter.range(containing: place) != nil,
                log.entries.entry(at: place)?.deletedAt != nil
            else { continue }
            ids.insert(place.messageID)
        }
    }
}
