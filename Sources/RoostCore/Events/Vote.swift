// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The replacement of the user's votes in a poll; they are on disk when it ends.
package struct Vote: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, calling }

    private let options: [PollOptionID]
    private let poll: PollID
    private let channel: ChannelURL
    private var state = State.beginning

    package init(for options: [PollOptionID], in poll: PollID, of channel: ChannelURL) {
        self.options = options
        self.poll = poll
        self.channel = channel
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            let requestID = sync.random.requestID()
            let vote = VoteCommand(
                channelURL: channel, pollID: poll, optionIDs: options, requestID: requestID)
            state = .calling
            return .need(
                .runWithin(SocketCall.timeLimit, .socketCall(SocketCall(.vote(vote), requestID))))
        case (.calling, .ended(let outcome)): return .end(outcome)
        default: return .fail(reply)
        }
    }
}
