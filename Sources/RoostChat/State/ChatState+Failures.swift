// SPDX-License-Identifier: Apache-2.0

import Roost

/// The list of messages that failed, over all channels.
///
/// It is the only way to a message whose channel was deleted or is not in the list any more.
extension ChatState {
    struct Failures: Hashable, Sendable {
        var messages: [Message] = []
        var selected = 0

        var selectedMessage: Message? {
            messages.indices.contains(selected) ? messages[selected] : nil
        }
    }

    /// Whether the list is on screen: also under a question about one of its messages.
    var showsFailures: Bool {
        focus == .failures || focus == .prompt && prompt?.back == .failures
    }

    /// Opens the list, or leaves it.
    mutating func listFailures() -> [ChatEffect] {
        guard focus != .failures else {
            focus = .composer
            return []
        }
        guard health.outbox.failed > 0 else { return refuse("No message has failed.") }
        failures = nil
        conversation?.selected = nil
        focus = .failures
        return [.readFailures]
    }

    /// Shows the messages that failed; without any, the timeline is back.
    mutating func show(failures messages: [Message]) {
        guard showsFailures else { return }
        let selected = failures?.selectedMessage?.id
        let index = messages.firstIndex { $0.id == selected } ?? failures?.selected ?? 0
        failures = Failures(
            messages: messages, selected: min(index, max(messages.count - 1, 0)))
        guard messages.isEmpty else { return }
        focus = .composer
        if refusedEdits.values.contains(where: { $0.change != nil }) {
            say("Only edits have failed: e on a message has its text again.", isFailure: true)
        }
    }

    mutating func pressInFailures(_ key: Key) -> [ChatEffect] {
        let selected = failures?.selected ?? 0
        let last = max((failures?.messages.count ?? 0) - 1, 0)
        switch key {
        case .up: failures?.selected = max(selected - 1, 0)
        case .down: failures?.selected = min(selected + 1, last)
        case .home: failures?.selected = 0
        case .end: failures?.selected = last
        case .escape: focus = .composer
        case .enter: return choose(selected)
        case .character("x"):
            guard let request = failures?.selectedMessage?.requestID else { return [] }
            return [.resend(request), .readFailures]
        case .character("d"), .delete:
            guard let message = failures?.selectedMessage, let request = message.requestID
            else { return [] }
            return ask(.discardFailed(request, message.channelURL))
        default: break
        }
        return []
    }

    /// Opens a message of the list in the place of the timeline.
    mutating func choose(_ index: Int) -> [ChatEffect] {
        if focus == .results {
            guard let matches = search?.matches, matches.indices.contains(index) else { return [] }
            return openFound(matches[index].message)
        }
        guard let messages = failures?.messages, messages.indices.contains(index) else { return [] }
        // A question was about the message that was selected before.
        focus = .failures
        failures?.selected = index
        return openFailed(messages[index])
    }

    /// Opens the channel of a failed message, or its thread, at the end, where unsent messages are.
    private mutating func openFailed(_ message: Message) -> [ChatEffect] {
        guard hasMoreChannels || channels.contains(where: { $0.url == message.channelURL }) else {
            return refuse("You no longer have this channel. x sends again, d discards.")
        }
        focus = .composer
        let effects = open(message.channelURL)
        guard let parent = message.parentID, message.isOnlyInThread else { return effects }
        return effects + enterThread(parent)
    }
}
