// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

// The streams of events for the app.

extension SyncEngine {
    /// Returns a stream of all events from now on.
    func events() -> AsyncStream<ChatEvent> {
        let mailbox = eventReaders.open()
        let ticket = ReadersTicket { [weak self] in
            guard let self else { return }
            // The task ends at once; it only closes the mailbox.
            Task(executorPreference: self.executor) { await self.closeEvents(mailbox) }
        }
        return AsyncStream { [weak self] in
            await self?.nextEvent(in: mailbox)
        } onCancel: {
            ticket.giveBack()
        }
    }

    private func nextEvent(in mailbox: Int) async -> ChatEvent? {
        await withCheckedContinuation { eventReaders.take(mailbox, $0) }
    }

    private func closeEvents(_ mailbox: Int) { eventReaders.close(mailbox) }

    func emit(_ event: ChatEvent) { eventReaders.post(event) }

    func typingUsers(in channel: ChannelURL) -> [User] { sync.typing.users(in: channel) }
}
