// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
import RoostWire

extension ServerAPI {
    /// Sends a question of the machine to the server.
    package func answer(
        _ question: ServerQuestion, sessionKey key: String
    ) async throws(RoostError) -> ServerAnswer {
        switch question {
        case .channel(let call): .channel(try await self.call(call, sessionKey: key))
        case .openChannel(let call): .openChannel(try await self.call(call, sessionKey: key))
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
        case .create(let call): .channel(try await self.call(call, sessionKey: key).channel)
        case .update(let call): .channel(try await self.call(call, sessionKey: key))
        case .join(let call): .channel(try await self.call(call, sessionKey: key))
        case .invite(let call): .channel(try await self.call(call, sessionKey: key))
        case .moment(let call): .moment(try await self.call(call, sessionKey: key))
        case .writeMetadata(let call): .metadata(try await self.call(call, sessionKey: key))
        case .post(let call): .message(try await self.call(call, sessionKey: key))
        case .react(let call): .reaction(try await self.call(call, sessionKey: key))
        // The shell uploads files, because it has their bytes.
        case .upload: throw .outOfStep
        case .delete(let call): try await done(call, key)
        case .markAsRead(let call): try await done(call, key)
        case .leave(let call): try await done(call, key)
        case .request(let call): try await done(call, key)
        }
    }

    /// Makes a call whose answer contains only its acceptance.
    private func done<Call: Question>(
        _ call: Call, _ key: String
    ) async throws(RoostError) -> ServerAnswer {
        _ = try await self.call(call, sessionKey: key)
        return .done
    }
}
