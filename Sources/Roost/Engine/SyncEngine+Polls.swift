// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension SyncEngine {
    /// Replaces what the user votes for; on disk when it returns.
    func vote(
        for options: [Int64], in poll: Int64, of channel: ChannelURL
    ) async throws(RoostError) {
        let requestID = RequestID.random(world.entropy)
        let vote = VoteCommand(
            channelURL: channel, pollID: poll, optionIDs: options, requestID: requestID)
        _ = try await ask(.vote(vote), requestID)
    }
}
