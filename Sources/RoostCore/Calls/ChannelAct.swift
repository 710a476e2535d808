// SPDX-License-Identifier: Apache-2.0

// The app's calls that change a channel. Each needs a connection, and its effect is on disk when it
// ends.

package import RoostModel
package import RoostWire

/// A change of a channel by the server, and the storage of its effect.
package struct ChannelAct: SyncOperation {
    /// The effect on the cache of a request that was accepted.
    package enum Effect: Equatable, Codable, Sendable {
        /// The answer is the channel's present state.
        case answered
        /// The user has left or lost the channel.
        case departure(ChannelURL)
        case news(ChannelNews, ChannelURL)
        /// The answer is the moment up to which messages are hidden, if any are.
        case hidden(HiddenState, hidesPrevious: Bool, ChannelURL)
        case historyReset(ChannelURL)
        case markedAsDelivered(ChannelURL)
        /// The answer is the metadata as written.
        case metadata(ChannelURL)
        case metadataDeleted(String?, ChannelURL)
        /// Only the server knows the channel's present state.
        case unknown(ChannelURL)
    }

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingKeys
        case asking(ChannelLedger.Mark)
        case committing
        /// The answer is to be a channel.
        case askingForChannel(ChannelLedger.Mark)
        case committingChannel(GroupChannel, stale: [ChannelURL])
        case awaitingLookUp(GroupChannel)
        case readingAnswer(GroupChannel)
        case readingChannel(ChannelURL)
        case lookingUp
    }

    private let question: ServerQuestion
    private let effect: Effect
    /// The keys of the metadata before their deletion.
    private var keys: [String] = []
    private var outcome = Outcome.done
    private var state = State.beginning

    package init(_ question: ServerQuestion, _ effect: Effect) {
        self.question = question
        self.effect = effect
    }

    /// The outcome for a caller whose time is over; nil while the cache lacks the accepted effect.
    var acceptedOutcome: Outcome? {
        switch state {
        case .lookingUp, .readingChannel: outcome
        case .awaitingLookUp(let channel), .readingAnswer(let channel): .channel(channel)
        case .beginning, .readingKeys, .asking, .committing, .askingForChannel, .committingChannel:
            nil
        }
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard sync.session != nil else { return .fail(.notConnected) }
            guard case .metadataDeleted(nil, let url) = effect else { return ask(&sync) }
            state = .readingKeys
            return .need(.read(.channel(url)))
        case (.readingKeys, .read(.success(.channel(let known)))):
            keys = known?.metadata?.keys.sorted() ?? []
            return ask(&sync)
        case (.asking(let mark), .answer(let result)):
            defer { sync.channelLedger.end() }
            guard case .success(let answer) = result else { return .fail(reply) }
            return take(answer, since: mark, &sync)
        case (.committing, .committed(.success)): return follow()
        case (.askingForChannel(let mark), .answer(.success(.channel(let channel)))):
            let (mutations, stale) = sync.accept([channel], since: mark)
            state = .committingChannel(channel, stale: stale)
            return .need(.commit(mutations + sync.firstListCursor, .answer))
        case (.askingForChannel, _):
            sync.channelLedger.end()
            return .fail(reply)
        case (.committingChannel(let channel, let stale), .committed(let result)):
            sync.channelLedger.end()
            guard case .success = result else { return .fail(reply) }
            // An event has overtaken the answer, and the channel is looked up again.
            for url in stale { sync.lookUp(url) }
            state = .awaitingLookUp(channel)
            return .need(.run(.awaitLookUp(LookUpWait(channel.url, asksAnew: false))))
        case (.awaitingLookUp(let channel), .ended):
            state = .readingAnswer(channel)
            return .need(.read(.channel(channel.url)))
        case (.readingAnswer(let answer), .read(.success(.channel(let known)))):
            return .end(.channel(known ?? answer))
        case (.readingChannel(let url), .read(.success(.channel(let known)))):
            if known == nil { sync.lookUp(url) }
            return .end(outcome)
        case (.lookingUp, .ended): return .end(outcome)
        default: return .fail(reply)
        }
    }

    private mutating func ask(_ sync: inout SyncState) -> Step {
        guard sync.session != nil else { return .fail(.notConnected) }
        let mark = sync.channelLedger.begin()
        state = effect == .answered ? .askingForChannel(mark) : .asking(mark)
        return .need(.ask(question))
    }

    /// Stores the effect of an accepted request, even if the connection has changed meanwhile.
    private mutating func take(
        _ answer: ServerAnswer, since mark: ChannelLedger.Mark, _ sync: inout SyncState
    ) -> Step {
        switch (effect, answer) {
        case (.departure(let url), .done):
            if sync.channelLedger.hasOvertaken(nil, in: url, since: mark) {
                return lookUp(url, &sync)
            }
            let isLeaving = question != .request(.delete(url))
            sync.noteDeparture(from: url, isLeaving: isLeaving)
            return commit([.removeChannel(url)])
        case (.news(let news, let url), .done): return learn(news, of: url, since: mark, &sync)
        case (.hidden(let state, let hidesPrevious, let url), .moment(let offset)):
            return learn(
                .hidden(state, through: hidesPrevious ? offset : nil), of: url, since: mark, &sync)
        case (.historyReset(let url), .moment(let offset)):
            guard let offset else { return .end(.done) }
            return commit(sync.recordUnsure(.historyReset(through: offset), of: url))
        case (.markedAsDelivered(let url), .moment(let moment)):
            guard let moment else { return .end(.done) }
            return commit(sync.record(.deliveredTo([sync.me: moment]), in: url))
        case (.metadata(let url), .metadata(let written)):
            outcome = .metadata(written)
            return learn(.metadata(set: written, removed: []), of: url, since: mark, &sync)
        case (.metadataDeleted(let key, let url), .done):
            let removed = key.map { [$0] } ?? keys
            return learn(.metadata(set: [:], removed: removed), of: url, since: mark, &sync)
        case (.unknown(let url), .done): return lookUp(url, &sync)
        default: return .fail(.outOfStep)
        }
    }

    /// Stores the effect, unless events have overtaken the answer: a message shows a hidden channel
    /// again, and its frame may come before the answer to the hiding.
    private mutating func learn(
        _ news: ChannelNews, of url: ChannelURL, since mark: ChannelLedger.Mark,
        _ sync: inout SyncState
    ) -> Step {
        if sync.channelLedger.hasOvertaken(news, in: url, since: mark) { return lookUp(url, &sync) }
        return commit(sync.recordUnsure(news, of: url))
    }

    private mutating func lookUp(_ url: ChannelURL, _ sync: inout SyncState) -> Step {
        sync.channelLedger.note(changeOf: url)
        state = .lookingUp
        return .need(.run(.awaitLookUp(LookUpWait(url, asksAnew: true))))
    }

    private mutating func commit(_ mutations: [Mutation]) -> Step {
        state = .committing
        return .need(.commit(mutations, .answer))
    }

    private mutating func follow() -> Step {
        switch effect {
        case .news(_, let url), .hidden(_, _, let url), .historyReset(let url),
            .metadata(let url), .metadataDeleted(_, let url):
            state = .readingChannel(url)
            return .need(.read(.channel(url)))
        case .answered, .departure, .markedAsDelivered, .unknown: return .end(outcome)
        }
    }
}

/// The creation of a channel and its storage.
package struct ChannelCreation: SyncOperation {
    /// The time limit for the server's description if events have overtaken the answer.
    private static let descriptionLimit = Duration.seconds(1)

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case asking(ChannelLedger.Mark)
        case committing(GroupChannel, stale: [ChannelURL])
        case reading(GroupChannel)
        case lookingUp(GroupChannel)
    }

    private let question: CreateChannel
    private var state = State.beginning

    package init(_ question: CreateChannel) { self.question = question }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard sync.session != nil else { return .fail(.notConnected) }
            state = .asking(sync.channelLedger.begin())
            return .need(.ask(.create(question)))
        case (.asking(let mark), .answer(.success(.channel(let channel)))):
            let (mutations, stale) = sync.accept([channel], since: mark)
            state = .committing(channel, stale: stale)
            return .need(.commit(mutations + sync.firstListCursor, .answer))
        case (.asking, _):
            sync.channelLedger.end()
            return .fail(reply)
        case (.committing(let made, let stale), .committed(let result)):
            sync.channelLedger.end()
            guard case .success = result else { return .fail(reply) }
            for channel in stale { sync.lookUp(channel) }
            state = .reading(made)
            return .need(.read(.channel(made.url)))
        case (.reading(let made), .read(.success(.channel(let known)))):
            if known != nil { return .end(.channel(made)) }
            // The channel is created, described in time or not. Both waits together stay below ten
            // seconds.
            state = .lookingUp(made)
            return .need(
                .runWithin(
                    Self.descriptionLimit, .awaitLookUp(LookUpWait(made.url, asksAnew: true))))
        case (.lookingUp(let made), .ended): return .end(.channel(made))
        default: return .fail(reply)
        }
    }
}

/// The look-up of a channel on the disk, or at the server if the disk has none.
package struct ChannelSearch: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case reading
        case asking(ChannelLedger.Mark)
        case committing(GroupChannel, stale: [ChannelURL])
    }

    private let channel: ChannelURL
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            state = .reading
            return .need(.read(.channel(channel)))
        case (.reading, .read(.success(.channel(let known)))):
            if let known { return .end(.channel(known)) }
            guard sync.session != nil else { return .fail(.notConnected) }
            state = .asking(sync.channelLedger.begin())
            return .need(.ask(.channel(GetChannel(channelURL: channel))))
        case (.asking(let mark), .answer(.success(.channel(let found)))):
            let (mutations, stale) = sync.accept([found], since: mark)
            state = .committing(found, stale: stale)
            return .need(.commit(mutations + sync.firstListCursor, .answer))
        case (.asking, _):
            sync.channelLedger.end()
            sync.unknownChannels.note(reply.error, of: channel)
            return .fail(reply)
        case (.committing(let found, let stale), .committed(let result)):
            sync.channelLedger.end()
            guard case .success = result else { return .fail(reply) }
            for channel in stale { sync.lookUp(channel) }
            return .end(.channel(found))
        default: return .fail(reply)
        }
    }
}
