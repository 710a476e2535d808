// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCommandLine
import RoostWire

/// The report of one inbox to a script: one message at a time, and the next one after the
/// acknowledgement.
actor InboxReport {
    private let inbox: Inbox
    private let acknowledgements: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    /// The message that was reported and is not acknowledged.
    private var item: InboxItem?
    private(set) var isOver = false

    init(_ inbox: Inbox) {
        self.inbox = inbox
        (acknowledgements, signal) = AsyncStream.makeStream(of: Void.self)
    }

    /// Reports the messages until the session ends, or until the inbox ends with an error.
    func run(to output: StandardOutput) async {
        var turns = acknowledgements.makeAsyncIterator()
        do throws(RoostError) {
            for try await item in inbox {
                self.item = item
                await output.write(
                    ReplyLine.event(
                        "inbox",
                        [
                            JSONValue.Field("name", .string(inbox.name)),
                            JSONValue.Field("channel", .string(item.channel.rawValue)),
                            JSONValue.Field("message", .message(item.message)),
                        ]
                    ).text)
                if await turns.next(isolation: self) == nil { break }
            }
        } catch {
            await output.write(
                ReplyLine.event(
                    "inbox_ended",
                    [
                        JSONValue.Field("name", .string(inbox.name)),
                        JSONValue.Field("error", .error(error)),
                    ]
                ).text)
        }
        (item, isOver) = (nil, true)
    }

    /// Acknowledges the reported message; it is on disk on return.
    func acknowledge() async throws(RoostError) {
        guard let item else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "The inbox has no message to acknowledge: wait for its next event “inbox”."
            )
        }
        try await item.acknowledge()
        self.item = nil
        signal.yield()
    }
}
