// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// The effects of a machine as events, and the events as inputs of the machine.

extension CoreWorld {
    /// Gives a device's machine an input, and schedules the effects.
    func give(_ input: SyncMachine.Input, _ device: CoreDevice) {
        inputs += 1
        let now = Timestamp(
            milliseconds: SimulatedWorld.beginningMS + self.now / 1_000 + device.clockError)
        let effects = device.machine.receive(input, at: now)
        device.answers.follow(isConnected: device.isConnected, at: .microseconds(self.now))
        for effect in effects { perform(effect, device) }
        // The consequences of an end come after all effects of the step, as in the shell.
        guard !isFinishing else { return }
        isFinishing = true
        while !finished.isEmpty {
            let (id, outcome) = finished.removeFirst()
            finish(id, outcome, device)
        }
        isFinishing = false
    }

    func handle(_ event: Event, _ device: CoreDevice, on storage: isolated MemoryStorage) {
        switch event {
        case .input(let input):
            if case .reply(_, let reply) = input, reply.isOfCommit { device.unreportedCommits -= 1 }
            give(input, device)
        case .disk(let effect): workOnDisk(effect, device, on: storage)
        case .fired(let timer, let number):
            guard device.timers[timer] == number else { return }
            device.timers[timer] = nil
            give(.fired(timer), device)
        case .paused(let id, let number):
            guard device.pauses[id] == number else { return }
            device.pauses[id] = nil
            give(.reply(id, .paused), device)
        case .overdue(let id, let number):
            guard device.limits[id] == number else { return }
            device.limits[id] = nil
            give(.overdue(id), device)
        case .crash: crash(device)
        case .restart(let connects):
            start(device, connects: connects)
            checkCursors(of: device, on: storage)
        case .request, .opening, .frame, .release, .end, .command, .hangUp:
            cross(event, device, on: storage)
        }
    }

    // MARK: Effects

    private func perform(_ effect: SyncMachine.Effect, _ device: CoreDevice) {
        note("    \(device.name) > \("\(effect)".prefix(160))")
        switch effect {
        case .read, .commit, .keep, .outbox: schedule(.disk(effect), device, after: diskTime())
        case .ask(let id, let question, let credentials):
            send(question, device.state.sessionKey(for: credentials), for: id, device)
        case .send(let id, let command):
            reply(id, .sent(send(command, device) ? nil : .notConnected), device)
        case .mend(let id): reply(id, .mended(.success(.intact)), device)
        case .pause(let id, let duration, _):
            device.pauses[id] = number()
            schedule(.paused(id, lastNumber), device, after: duration)
        case .endPause(let id): device.pauses[id] = nil
        case .limit(let id, let duration):
            device.limits[id] = number()
            schedule(.overdue(id, lastNumber), device, after: duration)
        case .endLimit(let id): device.limits[id] = nil
        case .notice(let notice): take(notice, device)
        case .finish(let id, let outcome): finished.append((id, outcome))
        }
    }

    func reply(_ id: SyncMachine.OperationID, _ reply: Reply, _ device: CoreDevice) {
        schedule(.input(.reply(id, reply)), device)
    }

    /// Most work on a disk is done at once; some takes longer than what comes after it.
    private func diskTime() -> Duration {
        random.next() % 4 == 0 ? .microseconds(Int64(random.next() % 4_000)) : .zero
    }

    private static let diskError = RoostError(
        .localDatabaseError, remedy: .repairStorage, message: "The simulated disk is full.",
        cause: .disk(mayPass: true))

    /// Does work on the disk; the result is known to the machine a moment later.
    private func workOnDisk(
        _ effect: SyncMachine.Effect, _ device: CoreDevice, on storage: isolated MemoryStorage
    ) {
        let fails = device.isDiskFull
        let (id, answer): (SyncMachine.OperationID, Reply)
        switch effect {
        case .read(let read, let question):
            (id, answer) = (read, .read(.success(device.store.answer(question))))
        case .commit(let commit, let mutations, _, let condition):
            id = commit
            if let condition, device.store.meets(condition) {
                answer = .committed(.success(nil))
            } else if fails {
                answer = .committed(.failure(Self.diskError))
            } else {
                let commit = device.store.commit(mutations)
                // The log of the channels begins again.
                if mutations.contains(.clearAll) { device.listBegan = nil }
                follow(commit, device, on: storage)
                answer = .committed(.success(commit))
            }
        case .keep(let keep, let task):
            id = keep
            if fails, task != .checkLimit {
                answer = .kept(.failure(Self.diskError))
            } else {
                let result = device.store.keep(task, of: keep)
                if let commit = result.commit { follow(commit, device, on: storage) }
                answer = .kept(.success(result))
            }
        case .outbox(let write, let question):
            id = write
            answer = .outbox(
                fails && question.isWrite
                    ? .failure(Self.diskError) : device.outbox.answer(question))
        default: return
        }
        if answer.isOfCommit { device.unreportedCommits += 1 }
        schedule(.input(.reply(id, answer)), device, after: diskTime())
    }

    private func take(_ notice: RoostCore.Notice, _ device: CoreDevice) {
        switch notice {
        case .openSocket(let epoch, let key, _): open(epoch, key, device)
        case .closeSocket: close(device)
        case .send(let command):
            _ = send(command, device)
            schedule(.input(.frameSent), device)
        case .arm(let timer, let duration):
            device.timers[timer] = number()
            schedule(.fired(timer, lastNumber), device, after: duration)
        case .disarm(let timer): device.timers[timer] = nil
        case .timelineChanged(let id, let diff):
            device.timelines[id]?.changes.apply(diff)
            device.timelines[id]?.isDirty = true
        case .listChanged(let id, let diff):
            device.lists[id]?.changes.apply(diff)
            device.lists[id]?.isDirty = true
        case .downloadChanged(let id, let progress): device.downloads[id] = progress
        case .fillIndex: schedule(.input(.indexFilled), device)
        case .askToken, .forgotten, .connection, .event, .outbox, .deleteFiles, .keepUploaded,
            .cancelUpload,
            .refused:
            break
        }
    }

    // MARK: Calls of the app

    /// The most calls of an app at once, besides those that a check needs.
    static let callLimit = 4

    /// Makes a call as an app does.
    func call(
        _ name: @autoclosure () -> String, _ operation: Operation, _ device: CoreDevice,
        then completion: CoreDevice.Completion = .none, atMost limit: Int = callLimit,
        isTimed: Bool = true
    ) {
        call(name(), device, then: completion, atMost: limit, isTimed: isTimed) {
            .start($0, operation)
        }
    }

    func call(
        _ name: @autoclosure () -> String, _ device: CoreDevice,
        then completion: CoreDevice.Completion = .none, atMost limit: Int = callLimit,
        isTimed: Bool = true,
        _ input: (SyncMachine.OperationID) -> SyncMachine.Input
    ) {
        guard device.calls.count < limit else { return }
        let id = SyncMachine.OperationID(number())
        let name = trace == nil ? "" : name()
        note("\(device.name) \(name)")
        device.calls[id] = CoreDevice.Call(
            name: name, isTimed: isTimed, since: now, completion: completion)
        give(input(id), device)
    }

    private func finish(
        _ id: SyncMachine.OperationID, _ outcome: Outcome, _ device: CoreDevice
    ) {
        if device.connection?.frame == id {
            device.connection?.frame = nil
            return takeFrame(device)
        }
        guard let call = device.calls.removeValue(forKey: id) else { return }
        note("  \(device.name) \(call.name): \(outcome.word)")
        note { () throws(Violation) in try check(call, device) }
        complete(call.completion, outcome, device)
    }
}

extension Reply {
    /// Whether the reply may tell of changes on disk.
    fileprivate var isOfCommit: Bool {
        switch self {
        case .committed, .kept: true
        default: false
        }
    }
}

extension Outcome {
    /// A word or an error for a trace.
    fileprivate var word: String {
        switch self {
        case .failed(let error): "\(error)"
        case .item(let item): "\(item.requestID)"
        default: "done"
        }
    }
}

extension CacheTaskAnswer {
    fileprivate var commit: Commit? {
        switch self {
        case .limit: nil
        case .trim(_, let commit): commit
        case .erased(_, let commit): commit
        }
    }
}

extension OutboxQuestion {
    /// Whether the answer needs room on the disk.
    fileprivate var isWrite: Bool {
        switch self {
        case .write, .mend, .copyFiles: true
        case .news, .absent, .dropped, .takeTurn, .tidyFiles: false
        }
    }
}
