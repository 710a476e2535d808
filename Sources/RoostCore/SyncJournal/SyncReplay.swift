// SPDX-License-Identifier: Apache-2.0

/// The state on which decisions depend, without a network, a disk or a clock, so that a client's
/// run can be replayed.
package struct SyncReplay: Hashable, Codable, Sendable {
    package private(set) var link = LinkMachine()
    package private(set) var outbox = OutboxMachine()

    package init() {}

    /// Takes a step, and makes the client's decision.
    package mutating func take(_ step: SyncStep) -> SyncOutcome {
        switch step {
        case .asked, .frame, .call, .commit: return .none
        case .link(let input, let entropy):
            let effects = link.handle(input, entropy: entropy)
            return .link(link.state, effects).withoutWords
        case .sync(_, let question): return .sync(TimelineSync(question))
        case .page(_, let answer): return .page(PageStatement(answer))
        case .gap(_, let answer, let known, let isDisturbed):
            return .gap(GapVerdict(answer, from: known, isDisturbed: isDisturbed))
        case .outbox(let input): return .outbox(outbox.handle(input))
        }
    }
}

extension TimelineSync {
    package init(_ question: SyncQuestion) {
        self.init(
            question.occasion, wasLoaded: question.wasLoaded, opening: question.opening,
            followsNewest: question.followsNewest, knownEnd: question.knownEnd)
    }
}

extension PageStatement {
    package init(_ answer: PageAnswer) {
        self.init(
            question: answer.question, positions: answer.positions, hasNewer: answer.hasNewer,
            isContinuous: answer.isContinuous, newestKnown: answer.newestKnown)
    }
}

// MARK: - Messages of the server

// A server's message may contain a host or a user's name; decisions depend on codes alone.

extension LinkMachine.Refusal {
    fileprivate var withoutWords: Self {
        var refusal = self
        refusal.message = ""
        return refusal
    }
}

extension LinkMachine.Loss {
    fileprivate var withoutWords: Self {
        switch self {
        case .unreachable: .unreachable("")
        case .untrusted: .untrusted("")
        case .unusable: .unusable("")
        case .closed: .closed
        }
    }
}

extension LinkMachine.Input {
    package var withoutWords: Self {
        switch self {
        case .loginRefused(let epoch, let refusal): .loginRefused(epoch, refusal.withoutWords)
        case .lost(let epoch, let loss): .lost(epoch, loss.withoutWords)
        case .connect, .disconnect, .networkChanged, .appMoved, .opened, .loginSucceeded, .busy,
            .received, .expired, .fired:
            self
        }
    }
}

extension SyncOutcome {
    package var withoutWords: Self {
        guard case .link(let state, let effects) = self else { return self }
        var quiet = state
        if case .refused(let refusal) = state { quiet = .refused(refusal.withoutWords) }
        return .link(
            quiet,
            effects.map { effect in
                guard case .wentOffline(let reason?) = effect else { return effect }
                return .wentOffline(reason: reason.withoutWords)
            })
    }
}
