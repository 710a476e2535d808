// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// All users that a message names besides its sender; empty for nearly every message.
    package var people: [User] {
        guard !hasNoDetails else { return [] }
        let details = details
        return details.mentionedUsers + (details.threadInfo?.mostReplies ?? [])
            + [details.parentPreview?.sender].compactMap { $0 }
            + (details.poll?.options.flatMap(\.voters) ?? [])
    }

    /// Returns the message with these users replaced by newer copies of them.
    package func mapPeople(_ transform: (User) -> User) -> Message {
        guard people.contains(where: { transform($0) != $0 }) else { return self }
        var details = details
        details.mentionedUsers = details.mentionedUsers.map(transform)
        if var thread = details.threadInfo {
            thread.mostReplies = thread.mostReplies.map(transform)
            details.threadInfo = thread
        }
        if var preview = details.parentPreview {
            preview.sender = preview.sender.map(transform)
            details.parentPreview = preview
        }
        if var poll = details.poll {
            for index in poll.options.indices {
                poll.options[index].voters = poll.options[index].voters.map(transform)
            }
            details.poll = poll
        }
        var message = self
        message.details = details
        return message
    }
}
