// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The calls that wait for the outcomes of messages; several may wait for the same message.
package struct SendCalls: Sendable {
    package typealias Outcome = (message: Message, error: RoostError?)

    private struct Call {
        let number: Int
        let id: RequestID
        let callback: Callback<Outcome>
        let progress: Callback<UploadStep>
        /// Whether the message is not yet sent again, so that a failure is that of an earlier
        /// attempt.
        var awaitsRetry: Bool
        /// The message once it is on disk; nil before.
        var message: Message?
        /// Whether the handler was called before the outcome; only the progress is reported from
        /// then on.
        var isAnswered = false
        /// The reason for which an upload has failed; nil for none.
        var reason: RoostError.Code?
    }

    private var calls: [Call] = []
    private var count = 0

    package init() {}

    /// Adds a call that sends a message, or sends it again, and returns the call's number.
    package mutating func add(
        _ id: RequestID, _ callback: Callback<Outcome>, progress: Callback<UploadStep> = .none,
        isRetry: Bool = false
    ) -> Int {
        count += 1
        calls.append(
            Call(
                number: count, id: id, callback: callback, progress: progress,
                awaitsRetry: isRetry))
        return count
    }

    /// Removes a call; returns whether it was still waiting for an answer.
    package mutating func remove(_ number: Int) -> Bool {
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return false }
        return !calls.remove(at: index).isAnswered
    }

    /// Records that the message of a call is on disk; returns whether the call still waits.
    package mutating func save(_ message: Message, for number: Int) -> Bool {
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return false }
        calls[index].message = message
        return true
    }

    /// Records that a message is sent again.
    package mutating func noteRetry(of id: RequestID) {
        change(id) { $0.awaitsRetry = false }
    }

    /// Records the reason for which a message fails.
    package mutating func note(_ reason: RoostError.Code, of id: RequestID) {
        change(id) { $0.reason = reason }
    }

    /// The reason for which a message fails; nil without one.
    package func reason(of id: RequestID) -> RoostError.Code? {
        calls.first { $0.id == id }?.reason
    }

    package func progress(of id: RequestID) -> [Callback<UploadStep>] {
        calls.filter { $0.id == id }.map(\.progress)
    }

    /// Removes the calls that wait for the outcome of a message, and returns the callbacks of those
    /// without an answer.
    ///
    /// A pending message is sent later, and the calls with a progress still report it.
    package mutating func settle(_ message: Message) -> [Callback<Outcome>] {
        guard let id = message.requestID else { return [] }
        let isOfAttempt = message.status == .pending || message.status == .failed
        let isSettled = { (call: Call) in call.id == id && !(isOfAttempt && call.awaitsRetry) }
        let callbacks = calls.filter { isSettled($0) && !$0.isAnswered }.map(\.callback)
        if message.status == .pending {
            for index in calls.indices where isSettled(calls[index]) {
                calls[index].isAnswered = true
            }
            removeAnswered()
        } else {
            calls.removeAll(where: isSettled)
        }
        return callbacks
    }

    /// Returns the callbacks of the messages that are on disk, except for some, and counts them as
    /// answered.
    package mutating func answerSaved(
        except onTheirWay: Set<RequestID> = []
    ) -> [(callback: Callback<Outcome>, message: Message)] {
        var answered: [(callback: Callback<Outcome>, message: Message)] = []
        for index in calls.indices where !calls[index].isAnswered {
            let call = calls[index]
            guard let message = call.message, !onTheirWay.contains(call.id) else { continue }
            answered.append((call.callback, message))
            calls[index].isAnswered = true
        }
        removeAnswered()
        return answered
    }

    /// Removes the answered calls that have no progress to report.
    private mutating func removeAnswered() {
        calls.removeAll { $0.isAnswered && $0.progress.call == nil }
    }

    private mutating func change(_ id: RequestID, _ body: (inout Call) -> Void) {
        for index in calls.indices where calls[index].id == id { body(&calls[index]) }
    }
}
