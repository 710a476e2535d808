// SPDX-License-Identifier: Apache-2.0

import SendbirdChatSDK

/// Polls as messages.
///
/// `poll TITLE OPTION…`, `vote TITLE OPTION`, `votes TITLE`.
final class Polls {
    private let screen: Screen
    private let chat: Chat

    init(_ chat: Chat, _ screen: Screen) {
        (self.chat, self.screen) = (chat, screen)
        screen.on("poll", create)
        screen.on("vote", vote)
        screen.on("votes", votes)
    }

    private func create(_ words: String) {
        let (title, options) = words.firstWord
        let params = PollCreateParams { params in
            params.title = title
            params.optionTexts = options.split(separator: " ").map(String.init)
        }
        Poll.create(params: params) { poll, error in
            guard let poll else { return self.screen.done("poll", error: error) }
            let message = UserMessageCreateParams(message: title)
            message.pollId = poll.pollId
            self.chat.channel?.sendUserMessage(params: message) { message, error in
                self.screen.done("asked", message?.poll?.title ?? "", error: error)
            }
        }
    }

    private func vote(_ words: String) {
        let (title, text) = words.firstWord
        guard let poll = chat.message(title)?.poll,
            let option = poll.options.first(where: { $0.text == text })
        else { return screen.done("no option") }
        chat.channel?.votePoll(pollId: poll.pollId, pollOptionIds: [option.pollOptionId]) {
            event, error in
            if let event { self.chat.message(title)?.apply(pollVoteEvent: event) }
            self.screen.done("voted", text, error: error)
        }
    }

    private func votes(_ title: String) {
        guard let channel = chat.channel, let poll = chat.message(title)?.poll else {
            return screen.done("no poll")
        }
        let params = PollRetrievalParams { params in
            params.channelURL = channel.channelURL
            params.channelType = .group
            params.pollId = poll.pollId
        }
        Poll.get(params: params) { poll, error in
            let counts = (poll?.options ?? []).map { "\($0.text) \($0.voteCount)" }
            self.screen.done("votes:", counts.listed, error: error)
        }
    }
}
