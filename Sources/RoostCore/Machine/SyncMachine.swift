// SPDX-License-Identifier: Apache-2.0

// Everything the client decides, as a value: no clock, no disk, no network, no `await`.
//
// The machine holds the shared state and the operations under way, and routes each answer to the operation that
// waits for it. It decides nothing itself. An operation may run others; the innermost one is resumed. The shell
// performs the effects in their order and feeds their results back as inputs.

package import RoostModel
package import RoostWire

/// The client's decisions.
package struct SyncMachine: Sendable {
    /// The name of an operation under way; the shell numbers them.
    package struct OperationID: Hashable, Comparable, Codable, Sendable {
        package let number: Int

        package init(_ number: Int) { self.number = number }

        package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    package enum Input: Sendable {
        case connected(LoginSuccess, LinkMachine.Epoch)
        case disconnected
        case start(OperationID, Operation)
        case reply(OperationID, Reply)
        /// The time limit of an operation's part is over.
        case overdue(OperationID)
        /// A transaction is on disk; commits come in their order.
        case committed(Commit, ChangeOrigin)
        /// Another process has made commits.
        case missedCommits
        case openTimeline(OpenTimeline)
        case closeTimeline(TimelineID)
        case openList(OpenList)
        case closeList(ListID)
        /// The unsent messages of a channel are others now.
        case unsent(ChannelURL, [Message])
        /// A decision of a part that is no operation yet.
        case wish(Wish)
    }

    /// A decision of the shell's own parts about what is to be done next.
    package enum Wish: Hashable, Sendable {
        case catchUp(ChannelURL, CatchUpWish)
        case catchUpChannels
        case lookUp(ChannelURL)
        case synchronize(TimelineID)
        case reread(TimelineID)
        /// The cache was emptied: open lists fill again as if they had just been opened.
        case beginListsAnew
    }

    package enum Effect: Hashable, Sendable {
        case read(OperationID, StoreQuestion)
        case ask(OperationID, ServerQuestion, Credentials)
        /// One transaction; transactions are carried out in the order of their effects.
        case commit(OperationID, [Mutation], ChangeOrigin, unless: CommitCondition?)
        /// Replies with `.paused` after a duration.
        case pause(OperationID, Duration, Pause)
        /// Forgets a pause: the machine has ended it.
        case endPause(OperationID)
        /// Sends `overdue` after a duration.
        case limit(OperationID, Duration)
        case endLimit(OperationID)
        /// Replies with `.woken` once every commit under way is delivered.
        case deliverCommits(OperationID)
        case notice(Notice)
        case finish(OperationID, Outcome)
    }

    package var state: SyncState
    /// The operations under way, each with those that wait for it before it.
    private var running: [OperationID: [Operation]] = [:]
    private var pauses: [OperationID: Pause] = [:]
    /// The number of operations in a stack that wait for a part with a time limit.
    private var limits: [OperationID: Int] = [:]
    /// The names under which the shell knows operations whose part was overdue.
    private var names: [OperationID: OperationID] = [:]
    private var waiting: [Condition: [OperationID]] = [:]
    /// Numbers for the operations that the machine starts itself; the shell's are positive.
    private var lastOwn = 0

    package init(_ state: SyncState) { self.state = state }

    /// Whether an operation is under way that waits neither for a retry nor for another operation.
    package var isBusy: Bool {
        let sleeping = waiting.values.reduce(0) { $0 + $1.count }
        return running.count > sleeping + pauses.count { $0.value == .retry }
    }

    /// Whether an operation waits for a retry.
    package var isRetrying: Bool { pauses.contains { $0.value == .retry } }

    /// Whether a channel is being caught up and does not wait for a retry.
    package var isCatchingUp: Bool {
        running.contains { id, stack in
            guard case .catchUp? = stack.first else { return false }
            return pauses[id] != .retry
        }
    }

    /// Takes one input and returns the effects to perform, in order.
    package mutating func receive(_ input: Input, at now: Timestamp) -> [Effect] {
        state.now = now
        var effects: [Effect] = []
        switch input {
        case .connected(let login, let epoch):
            state.connect(login, epoch)
            for id in pauses.keys.sorted() {
                pauses[id] = nil
                effects.append(.endPause(id))
                resume(id, .paused, &effects)
            }
        case .disconnected: state.disconnect()
        case .start(let id, let operation):
            running[id] = [operation]
            resume(id, .begin, &effects)
        case .reply(let id, let reply):
            // A pause that was ended here may end in the shell at the same time.
            if reply == .paused, pauses.removeValue(forKey: id) == nil { return [] }
            resume(id, reply, &effects)
        case .overdue(let id): detachPart(of: id, &effects)
        case .committed(let commit, let origin): state.deliver(commit, from: origin)
        case .missedCommits: state.missCommits()
        case .openTimeline(let timeline): state.timelines.open(timeline, as: timeline.id)
        case .closeTimeline(let id): state.close(id)
        case .openList(let list): state.lists.open(list, as: list.id)
        case .closeList(let id): state.close(id)
        case .unsent(let channel, let messages):
            for id in state.timelines.ids(of: channel) {
                state.timelines[id]?.setUnsent(messages)
            }
        case .wish(let wish): take(wish)
        }
        settle(&effects)
        return effects
    }

    private mutating func take(_ wish: Wish) {
        switch wish {
        case .catchUp(let channel, let wish): state.catchUp(channel, wish)
        case .catchUpChannels: state.catchUpChannels()
        case .lookUp(let channel): state.lookUp(channel)
        case .synchronize(let timeline): state.synchronizeLater(timeline)
        case .reread(let timeline): state.see(to: .reread, of: timeline)
        case .beginListsAnew:
            for id in state.lists.ids {
                state.lists[id]?.beginAnew()
                state.start(.listRead(ListRead(id, from: nil)))
            }
        }
    }

    /// Hands on what the present step has decided besides the needs of its operation.
    private mutating func settle(_ effects: inout [Effect]) {
        repeat {
            effects += state.takeNotices().map { .notice($0) }
            let wakes = state.wakes
            state.wakes = []
            for wake in wakes {
                var sleepers = waiting.removeValue(forKey: wake.condition) ?? []
                if wake.isForFirst, sleepers.count > 1 {
                    waiting[wake.condition] = Array(sleepers.dropFirst())
                    sleepers = [sleepers[0]]
                }
                for id in sleepers { resume(id, .woken(wake.error), &effects) }
            }
            let starts = state.starts
            state.starts = []
            for operation in starts {
                let id = ownID()
                running[id] = [operation]
                resume(id, .begin, &effects)
            }
        } while !state.isSettled
    }

    private mutating func ownID() -> OperationID {
        lastOwn -= 1
        return OperationID(lastOwn)
    }

    /// Ends an operation's wait for its part; the part goes on by itself.
    private mutating func detachPart(of id: OperationID, _ effects: inout [Effect]) {
        guard let depth = limits.removeValue(forKey: id), let stack = running[id],
            stack.count > depth
        else { return }
        let waiter = ownID()
        running[id] = Array(stack[depth...])
        running[waiter] = Array(stack[..<depth])
        names[waiter] = names.removeValue(forKey: id) ?? id
        // The part has no caller any more.
        names[id] = OperationID(0)
        resume(waiter, .ended(.failed(.overdue)), &effects)
    }

    private mutating func resume(_ id: OperationID, _ first: Reply, _ effects: inout [Effect]) {
        var reply = first
        while var stack = running[id], var operation = stack.popLast() {
            let step = operation.resume(reply, &state)
            // Before the end of the operation: its caller finds everything told.
            effects += state.takeNotices().map { .notice($0) }
            switch step {
            case .need(.run(let child)):
                running[id] = stack + [operation, child]
                reply = .begin
            case .need(.runWithin(let limit, let child)):
                running[id] = stack + [operation, child]
                limits[id] = stack.count + 1
                effects.append(.limit(id, limit))
                reply = .begin
            case .need(let need):
                running[id] = stack + [operation]
                return perform(need, id, &effects)
            case .end(let outcome):
                running[id] = stack
                if limits[id] == stack.count {
                    limits[id] = nil
                    effects.append(.endLimit(id))
                }
                guard stack.isEmpty else {
                    reply = .ended(outcome)
                    continue
                }
                running[id] = nil
                let name = names.removeValue(forKey: id) ?? id
                if name.number > 0 { effects.append(.finish(name, outcome)) }
            }
        }
    }

    private mutating func perform(
        _ need: Need, _ id: OperationID, _ effects: inout [Effect]
    ) {
        switch need {
        case .read(let question): effects.append(.read(id, question))
        case .ask(let question, let credentials):
            effects.append(.ask(id, question, credentials))
        case .commit(let mutations, let origin, let condition):
            effects.append(.commit(id, mutations, origin, unless: condition))
        case .pause(let duration, let pause):
            pauses[id] = pause
            effects.append(.pause(id, duration, pause))
        case .wait(let condition): waiting[condition, default: []].append(id)
        case .deliverCommits: effects.append(.deliverCommits(id))
        case .run, .runWithin: break
        }
    }
}

extension SyncState {
    /// Whether the present step has nothing left to hand on.
    var isSettled: Bool { notices.isEmpty && wakes.isEmpty && starts.isEmpty }

    mutating func takeNotices() -> [Notice] {
        for id in timelines.ids {
            let changes = timelines[id]?.takePublications() ?? []
            notices += changes.map { .timelineChanged(id, $0) }
        }
        for id in lists.ids {
            let changes = lists[id]?.takePublications() ?? []
            notices += changes.map { .listChanged(id, $0) }
        }
        defer { notices = [] }
        return notices
    }
}
