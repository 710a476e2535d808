// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire

extension ServerAPI {
    /// Puts a question of the machine to the server.
    func answer(
        _ question: ServerQuestion, sessionKey key: String
    ) async throws(RoostError) -> ServerAnswer {
        switch question {
        case .channel(let call): .channel(try await self.call(call, sessionKey: key))
        case .messages(let call): .messages(try await self.call(call, sessionKey: key))
        case .gap(let call): .gap(try await self.call(call, sessionKey: key))
        case .messageChanges(let call):
            .messageChanges(try await self.call(call, sessionKey: key))
        case .channelChanges(let call):
            .channelChanges(try await self.call(call, sessionKey: key))
        case .myChannels(let call): .myChannels(try await self.call(call, sessionKey: key))
        case .fingerprints(let call): .fingerprints(try await self.call(call, sessionKey: key))
        case .countMessages(let call): .count(try await self.call(call, sessionKey: key))
        case .mute(let call): .mute(try await self.call(call, sessionKey: key))
        }
    }
}
