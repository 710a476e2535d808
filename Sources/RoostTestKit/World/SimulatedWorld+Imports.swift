// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostServer
import RoostWire

extension SimulatedWorld {
    /// Imports old texts of a user into a channel, one second after the other, the last of them
    /// some seconds ago.
    ///
    /// - Returns: Whether the server took them.
    package func importTexts(
        _ texts: [String], of id: UserID, into url: ChannelURL, secondsAgo: Int64
    ) async -> Bool {
        let end = Self.wallTime(executor, serverClockError).milliseconds - 1_000 * secondsAgo
        var body = JSONWriter()
        body.object { writer in
            writer.array("messages") { writer in
                for (index, text) in texts.enumerated() {
                    writer.object { writer in
                        writer.field("message_type", "MESG")
                        writer.field("user_id", id.rawValue)
                        writer.field("message", text)
                        let age = Int64(texts.count - 1 - index) * 1_000
                        writer.field("timestamp", end - age)
                    }
                }
            }
        }
        let request = APIRequest(.post, ["migration", url.rawValue], body: body.bytes)
        let answer = await server.respond(
            to: request, headers: RequestHeaders(apiToken: Self.apiToken))
        return answer.status == 200
    }
}
