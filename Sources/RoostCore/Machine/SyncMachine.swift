// SPDX-License-Identifier: Apache-2.0

// Everything the client decides, as a value: no clock, no disk, no network, no `await`.
//
// The machine has the shared state and the running operations, and routes each answer to the
// operation that waits for it. It decides nothing itself. An operation may run others; the
// innermost one is resumed. The shell performs the effects in order and returns their results as
// inputs.

package import RoostModel
package import RoostWire

/// The client's decisions.
package struct SyncMachine: Codable, Sendable {
    /// The number of a running operation; the shell chooses it.
    package struct OperationID: Hashable, Comparable, Codable, Sendable {
        package let number: Int

        package init(_ number: Int) { self.number = number }

        package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    package indirect enum Input: Codable, Sendable {
        /// An event of the socket or the network, or a move of the app to the foreground or
        /// background.
        case link(LinkMachine.Input)
        /// A frame of the socket; the named operation ends when the frame is applied.
        case frame(OperationID, ServerEvent, LinkMachine.Epoch)
        /// The app disconnects; a logout also ends the session key and the stay in open channels.
        case disconnect(isLogout: Bool)
        /// The server has refused the key of a login in a call outside the operations.
        case refusedKey(RoostError, LinkMachine.Epoch?)
        case fired(MachineTimer)
        case outbox(OutboxInput)
        case download(DownloadID, DownloadInput)
        case startedTyping(ChannelURL)
        case stoppedTyping(ChannelURL)
        case start(OperationID, Operation)
        case reply(OperationID, Reply)
        /// A frame without a waiting operation was handed to the socket, or lost with it.
        case frameSent
        /// The app waits until the client has nothing to do; the named call ends with whether no
        /// retry waits either. The wait has a limit unless it is nil.
        case awaitIdle(OperationID, atMost: Duration?)
        /// The task of a call that only waits was canceled; the call ends without an outcome.
        case endWait(OperationID)
        /// The app closes the client: every collection, download and wait ends.
        case close
        /// The time limit of an operation's part is over.
        case overdue(OperationID)
        /// Another process has made commits.
        case missedCommits
        case openTimeline(OpenTimeline)
        case closeTimeline(TimelineID)
        case openList(OpenList)
        case closeList(ListID)
        /// The reader of an inbox has gone.
        case closeInbox(InboxID)
        /// Messages of a channel could not be read, and are gone from the cache.
        case forgotten(messages: Int, in: ChannelURL)
        /// The cache may be damaged.
        case suspected
        /// The cache was opened; its search index may lack messages.
        case cacheOpened
        /// The filling of the search index has ended, complete or not.
        case indexFilled
        /// A reader of the client's health has come, or has left.
        case healthReading(isBeginning: Bool)
        /// Faults of the files were repaired while they were opened.
        case repairedFiles(count: Int)
    }

    package indirect enum Effect: Equatable, Sendable {
        case read(OperationID, StoreQuestion)
        case ask(OperationID, ServerQuestion, Credentials)
        case send(OperationID, ClientCommand)
        case outbox(OperationID, OutboxQuestion)
        /// One transaction; the next one follows its reply.
        case commit(OperationID, [Mutation], ChangeOrigin, unless: CommitCondition?)
        /// Replies with `.paused` after a duration.
        case pause(OperationID, Duration, Pause)
        /// Cancels a pause that the machine has ended.
        case endPause(OperationID)
        /// Sends `overdue` after a duration.
        case limit(OperationID, Duration)
        case endLimit(OperationID)
        case keep(OperationID, CacheTask)
        case mend(OperationID)
        case notice(Notice)
        case finish(OperationID, Outcome)
    }

    package var state: SyncState
    /// The running operations, each by the number that replies to it have.
    private var running: [OperationID: OperationStack] = [:]
    private var commits = CommitQueue()
    private var requests = RequestsInFlight()
    private var waiting: [Condition: [OperationID]] = [:]
    /// The calls that wait until the client has nothing to do.
    private var idleWaits: Set<OperationID> = []
    /// The last number of an operation that the machine started itself; the shell's numbers are
    /// positive.
    private var lastOwn = 0

    package init(_ state: SyncState) { self.state = state }

    /// The machine without the bytes of files in memory, for a recording.
    var withoutBytes: SyncMachine {
        var copy = self
        copy.state.outbox.order.dropBytes()
        copy.state.outbox.disk.dropBytes()
        copy.state.timelines.changeEach { $1?.dropBytes() }
        copy.running = running.mapValues { $0.withoutBytes }
        return copy
    }

    /// Whether something is being connected, fetched, sent or stored; operations that wait for a
    /// retry or for another operation do not count.
    package var isBusy: Bool {
        if state.link.isConnecting || state.outbox.isBusy || state.framesInFlight > 0 {
            return true
        }
        let sleeping = waiting.values.reduce(0) { $0 + $1.count }
        let retries = running.values.count(where: { $0.pause == .retry })
        return running.count > sleeping + retries
    }

    /// Whether an operation waits for a retry.
    package var isRetrying: Bool { running.values.contains { $0.pause == .retry } }

    /// Takes one input and returns the effects to perform, in order.
    package mutating func receive(_ input: Input, at now: Timestamp) -> [Effect] {
        state.now = now
        var effects: [Effect] = []
        switch input {
        case .link(let input): state.drive(input)
        case .frame(let id, let event, let epoch): take(event, epoch, id, &effects)
        case .disconnect(let isLogout):
            isLogout ? state.logOut() : state.giveUpConnection()
        case .refusedKey(let error, let epoch): state.renewSession(after: error, asked: epoch)
        case .fired(.idle(let id)): endIdleWait(id, &effects)
        case .fired(let timer): state.take(timer)
        case .outbox(let input): state.take(input)
        case .download(let id, let input): state.take(input, for: id)
        case .startedTyping(let channel): state.startTyping(in: channel)
        case .stoppedTyping(let channel): state.stopTyping(in: channel)
        case .start(let id, let operation):
            running[id] = OperationStack([operation], for: id)
            resume(id, .begin, &effects)
        case .reply(let id, let reply):
            if reply == .paused {
                // A pause that was ended here may end in the shell at the same time.
                guard running[id]?.pause != nil else { return [] }
                running[id]?.pause = nil
            }
            let reply = requests.end(id, by: reply, &state).entering(for: state.me)
            deliver(reply, to: id, &effects)
            resume(id, reply, &effects)
        case .frameSent: state.framesInFlight = max(0, state.framesInFlight - 1)
        case .awaitIdle(let id, let limit):
            idleWaits.insert(id)
            if let limit, isBusy { state.arm(.idle(id), for: limit) }
        case .endWait(let id): endWait(id, &effects)
        case .close: state.close()
        case .overdue(let id): detachPart(of: id, &effects)
        case .missedCommits:
            commits.appendMissedCommits()
            // The other process may have stored messages without indexing them.
            state.fillIndex()
        case .openTimeline(var timeline):
            timeline.mark(state.outbox.messageMarks(in: timeline.channel))
            state.timelines.open(timeline, as: timeline.id)
        case .closeTimeline(let id): state.close(id)
        case .openList(var list):
            list.mark(state.outbox.allMarks)
            state.lists.open(list, as: list.id)
        case .closeList(let id): state.close(id)
        case .closeInbox(let id): state.close(id)
        case .forgotten(let count, let channel): state.noteForgotten(count, in: channel)
        case .suspected: state.start(.mending(CacheMending()))
        case .cacheOpened: state.fillIndex()
        case .indexFilled: state.noteEndOfFilling()
        case .healthReading(let isBeginning):
            isBeginning ? state.beginHealthReading() : state.endHealthReading()
        case .repairedFiles(let count): state.notes.repairs += max(count, 0)
        }
        repeat {
            settle(&effects)
            beginCommits(&effects)
        } while !state.isSettled
        if !idleWaits.isEmpty, !isBusy || state.isClosed { endIdleWaits(&effects) }
        return effects
    }

    private mutating func endIdleWaits(_ effects: inout [Effect]) {
        for id in idleWaits.sorted() {
            effects.append(.notice(.disarm(.idle(id))))
            endIdleWait(id, &effects)
        }
    }

    private mutating func endIdleWait(_ id: OperationID, _ effects: inout [Effect]) {
        guard idleWaits.remove(id) != nil else { return }
        let isIdle = !isBusy && !isRetrying && !state.outbox.isResting && !state.awaitsTurn
        effects.append(.finish(id, .flag(isIdle)))
    }

    /// Ends a call that only waits; a call that has ended is left alone.
    private mutating func endWait(_ id: OperationID, _ effects: inout [Effect]) {
        if idleWaits.remove(id) != nil { effects.append(.notice(.disarm(.idle(id)))) }
        guard let condition = waiting.first(where: { $0.value.contains(id) })?.key else { return }
        running[id] = nil
        waiting[condition]?.removeAll { $0 == id }
        if waiting[condition]?.isEmpty == true { waiting[condition] = nil }
    }

    private mutating func take(
        _ event: ServerEvent, _ epoch: LinkMachine.Epoch, _ id: OperationID,
        _ effects: inout [Effect]
    ) {
        guard let event = state.takeFrame(event.entering(for: state.me), epoch) else {
            takeNotices(&effects)
            effects.append(.finish(id, .done))
            return
        }
        running[id] = OperationStack([.liveEvent(LiveEvent(event))], for: id)
        resume(id, .begin, &effects)
    }

    /// Delivers the commit of a reply to the open collections, before the operation continues.
    private mutating func deliver(
        _ reply: Reply, to id: OperationID, _ effects: inout [Effect]
    ) {
        let commit: Commit?
        switch reply {
        case .committed(let result):
            commit = result.value ?? nil
            state.noteResult(ofCommit: result.failure)
        case .kept(let result): commit = result.value?.commit
        default: return
        }
        guard let origin = commits.end(id) else { return }
        if let commit {
            state.deliver(commit, from: origin)
            state.noteCommit()
        }
        beginCommits(&effects)
        takeNotices(&effects)
    }

    /// Begins the next transaction, unless one is in progress.
    private mutating func beginCommits(_ effects: inout [Effect]) {
        while let entry = commits.next() {
            switch entry {
            case .commit(let id, let mutations, let origin, let condition):
                effects.append(.commit(id, mutations, origin, unless: condition))
            case .task(let id, let task): effects.append(.keep(id, task))
            case .delivery(let id): resume(id, .woken(nil), &effects)
            case .missedCommits: state.missCommits()
            }
        }
    }

    /// Ends the pauses, because a connection has begun.
    private mutating func endPauses(_ effects: inout [Effect]) {
        state.hasConnected = false
        for id in running.keys.filter({ running[$0]?.pause != nil }).sorted() {
            running[id]?.pause = nil
            effects.append(.endPause(id))
            resume(id, .paused, &effects)
        }
    }

    /// Emits the decisions of the present step besides the request of its operation.
    private mutating func settle(_ effects: inout [Effect]) {
        repeat {
            takeNotices(&effects)
            if state.hasConnected { endPauses(&effects) }
            let wakes = state.step.wakes
            state.step.wakes = []
            for wake in wakes {
                var sleepers = waiting.removeValue(forKey: wake.condition) ?? []
                if wake.isForFirst, sleepers.count > 1 {
                    waiting[wake.condition] = Array(sleepers.dropFirst())
                    sleepers = [sleepers[0]]
                }
                for id in sleepers { resume(id, .woken(wake.error), &effects) }
            }
            let starts = state.step.starts
            state.step.starts = []
            for operation in starts {
                let id = ownID()
                running[id] = OperationStack([operation], for: id)
                resume(id, .begin, &effects)
            }
        } while !state.isSettled
    }

    private mutating func ownID() -> OperationID {
        lastOwn -= 1
        return OperationID(lastOwn)
    }

    /// Ends an operation's wait for its part; the part continues by itself.
    private mutating func detachPart(of id: OperationID, _ effects: inout [Effect]) {
        guard let waiters = running[id]?.detachPart(), let part = running[id]?.operations.first
        else { return }
        let waiter = ownID()
        running[waiter] = waiters
        if case .socketCall(let call) = part { drop(call, id) }
        resume(waiter, .ended(part.outcomeWhenOverdue), &effects)
    }

    /// Ends an overdue command: a late answer has no reader, and there may never be one.
    private mutating func drop(_ call: SocketCall, _ id: OperationID) {
        state.answers[call.requestID] = nil
        running[id] = nil
        waiting[.answer(call.requestID)] = nil
    }

    private mutating func resume(_ id: OperationID, _ first: Reply, _ effects: inout [Effect]) {
        // The stack is taken out, so that a step copies the collections of no other operation.
        guard var stack = running.removeValue(forKey: id) else { return }
        var reply = first
        while let last = stack.operations.indices.last {
            let step = stack.operations[last].resume(reply, &state)
            // Before the end of the operation, so that its caller finds everything reported.
            takeNotices(&effects)
            switch step {
            case .need(.run(let child)):
                stack.operations.append(child)
                reply = .begin
            case .need(.runWithin(let limit, let child)):
                precondition(stack.limit == nil, "A time limit inside another would replace it.")
                stack.limit = stack.operations.count
                stack.operations.append(child)
                effects.append(.limit(id, limit))
                reply = .begin
            case .need(.send) where state.session == nil:
                reply = .sent(.notConnected)
            case .need(let need):
                running[id] = stack
                return perform(need, id, &effects)
            case .end(let outcome):
                stack.operations.removeLast()
                if stack.limit == stack.operations.count {
                    stack.limit = nil
                    effects.append(.endLimit(id))
                }
                guard stack.operations.isEmpty else {
                    reply = .ended(outcome)
                    continue
                }
                guard stack.caller.number > 0 else { continue }
                let isAbsence = outcome == .failed(.notConnected)
                let result: Outcome = isAbsence ? .failed(state.link.absence) : outcome
                effects.append(.finish(stack.caller, result))
            }
        }
    }

    private mutating func takeNotices(_ effects: inout [Effect]) {
        state.showMarks()
        state.publishCollections()
        guard !state.step.notices.isEmpty else { return }
        for notice in state.step.notices { effects.append(.notice(notice)) }
        state.step.notices.removeAll(keepingCapacity: true)
    }

    private mutating func perform(
        _ need: Need, _ id: OperationID, _ effects: inout [Effect]
    ) {
        switch need {
        case .read(let question): effects.append(.read(id, question))
        case .ask(let question, let credentials):
            requests.begin(id, state.link)
            effects.append(.ask(id, question, credentials))
        case .send(let command): effects.append(.send(id, command))
        case .outbox(let question): effects.append(.outbox(id, question))
        case .commit(let mutations, let origin, let condition):
            commits.append(.commit(id, mutations, origin, unless: condition))
        case .keep(let task): commits.append(.task(id, task))
        case .mend: effects.append(.mend(id))
        case .pause(let duration, let pause):
            running[id]?.pause = pause
            effects.append(.pause(id, duration, pause))
        case .wait(let condition): waiting[condition, default: []].append(id)
        case .deliverCommits: commits.append(.delivery(id))
        case .run, .runWithin: break
        }
    }
}
