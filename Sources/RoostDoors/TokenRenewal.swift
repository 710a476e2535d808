// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostExecutors
package import RoostModel

/// The renewal of the session's token by a delegate of the app, which is held weakly.
package final class TokenRenewal<Delegate>: Sendable {
    /// Asks a delegate for a token; it calls the first closure or the second one.
    package typealias Request =
        @Sendable (Delegate, @escaping (String?) -> Void, @escaping () -> Void) -> Void

    private struct State {
        var delegate: Carried<WeakBox<AnyObject>>?
        var progress: SessionProgress
        /// The number of the last request; the end of an earlier one means nothing any more.
        var request = 0
        var patience = Duration.seconds(60)
    }

    private let door: Door
    private let failureCode: RoostError.Code
    private let request: Request
    private let notify: @Sendable (Delegate, SessionNotice) -> Void
    private let state: Guarded<State>

    /// Creates a renewal; both closures are called on the app's queue.
    ///
    /// - Parameters:
    ///   - door: The door whose clients need tokens.
    ///   - failureCode: The code of the error when the app gives no token.
    ///   - request: Asks the delegate for a token.
    ///   - notify: Calls the delegate's method for a notice.
    package init(
        _ door: Door, failureCode: RoostError.Code, request: @escaping Request,
        notify: @escaping @Sendable (Delegate, SessionNotice) -> Void
    ) {
        self.door = door
        self.failureCode = failureCode
        self.request = request
        self.notify = notify
        state = Guarded(State(progress: SessionProgress(failureCode: failureCode)))
    }

    /// Sets the delegate, which gets no notices of the requests to an earlier one.
    package func use(_ delegate: AnyObject?) {
        let delegate = Carried(WeakBox(delegate))
        state.withLock { state in
            state.delegate = delegate
            state.progress = SessionProgress(failureCode: failureCode)
            state.request += 1
        }
    }

    /// Sets the time in which the app has to answer: 60 s at first, 1 s to 30 min.
    package func wait(forSeconds seconds: Int) {
        state.withLock { $0.patience = .seconds(min(max(seconds, 1), Self.longestWait)) }
    }

    /// Lets the clients of some settings ask the delegate, which may be set later.
    package func provide(to settings: inout Door.Settings) {
        settings.tokenProvider = { try await self.token() }
        // The time limit of this renewal counts, which may change at any time.
        settings.tokenWait = .seconds(Self.longestWait + 1)
    }

    /// Tells the delegate about the end or the renewal of the session; called on the app's queue.
    package func note(_ step: ConnectionStep, _ state: ConnectionState, of user: UserID) {
        // A request of the present user does not end with the connection of a former one.
        guard door.isPresent(user)() else { return }
        let notices = self.state.withLock { own in
            switch step {
            // The session goes on or has ended without the answer to an open request.
            case .connected, .regained, .disconnected: own.request += 1
            case .lost, .givenUp, .refused: break
            }
            return own.progress.notices(of: step, state)
        }
        for notice in notices { tell(notice) }
    }

    private static var longestWait: Int { 1_800 }

    private var delegate: Delegate? {
        state.withLock { $0.delegate }?.value.object as? Delegate
    }

    private func tell(_ notice: SessionNotice) {
        if let delegate { notify(delegate, notice) }
    }

    /// Returns a token of the app; nil without a delegate, or if there is none any more.
    ///
    /// - Throws: The error for the delegate if the app gives no answer now; the client asks again.
    private func token() async throws(RoostError) -> String? {
        let (number, patience) = state.withLock { state in
            state.request += 1
            return (state.request, state.patience)
        }
        let answer = await answer(within: patience)
        let (token, isOvertaken): (Result<String?, RoostError>, Bool) = state.withLock { state in
            let isOvertaken = state.request != number
            var progress = state.progress
            let token = progress.take(answer)
            if !isOvertaken { state.progress = progress }
            return (token, isOvertaken)
        }
        if case .failure(let error) = token, !isOvertaken {
            door.queue.async { self.tell(.failed(error)) }
        }
        return try token.get()
    }

    private func answer(within patience: Duration) async -> TokenAnswer {
        let clock = door.world.clock
        return await withTaskGroup(of: Void.self) { group in
            let answer = await withCheckedContinuation { waiting in
                let open = OpenRequest(waiting)
                // Only the app's closures keep the request: their release is an answer too.
                group.addTask { [weak open] in
                    try? await clock.sleep(for: patience)
                    open?.answer(.late)
                }
                door.queue.async { [self] in
                    // A busy queue may come to the request after its time.
                    guard !open.isAnswered else { return }
                    guard let delegate else { return open.answer(.token(nil)) }
                    request(delegate, { open.answer(.token($0)) }, { open.answer(.failure) })
                }
            }
            group.cancelAll()
            return answer
        }
    }
}

/// A request for a token, which is answered once, at the latest by its release.
private final class OpenRequest: Sendable {
    private let waiting: Guarded<CheckedContinuation<TokenAnswer, Never>?>

    init(_ waiting: CheckedContinuation<TokenAnswer, Never>) { self.waiting = Guarded(waiting) }

    deinit { answer(.released) }

    var isAnswered: Bool { waiting.withLock { $0 == nil } }

    func answer(_ answer: TokenAnswer) {
        let waiting = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        // The app may call both closures, or one of them late.
        waiting?.resume(returning: answer)
    }
}
