// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

/// Keeps what the user wrote until the server has it, and obeys the outbox machine.
actor Outbox {
    /// What the outbox needs from above, handed in as functions so that it knows no engine.
    struct Surroundings: Sendable {
        /// Sends a message, all of whose files are uploaded, or makes a change.
        ///
        /// `isOnline` is false for a message whose link was lost while its files were uploaded.
        let deliver: @Sendable (OutboxItem, _ isOnline: Bool) async -> Outcome
        /// Uploads a file; sends nothing twice by itself.
        let upload:
            @Sendable (UploadFile, HTTPBodySource) async throws(RoostError)
                -> UploadFile.Output
        /// Reports that the unsent messages of a channel changed; runs on the executor of its caller.
        let changed: nonisolated(nonsending) @Sendable (ChannelURL) async -> Void
        /// The ID of a message that the cache holds; throws where the cache cannot be read.
        let find: @Sendable (RequestID) async throws(RoostError) -> MessageID?
        /// A message as the cache holds it.
        let held: @Sendable (MessageID) async -> Message?
        /// Holds channels back and looks whether the server has messages that may have left.
        let look: @Sendable ([ChannelURL]) async -> Void
    }

    /// What came of an attempt.
    enum Outcome: Sendable {
        /// It was written to the socket, which will bring the answer.
        case awaitsAnswer
        /// The server has it; a message as it is there.
        case done(Message?)
        /// There is nothing left to do.
        case isMoot
        case failed(RoostError, SendStage)
    }

    nonisolated let executor: any WorldExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    let world: World
    let store: OutboxStore
    private let journal: SyncJournal
    private(set) var me: User
    let surroundings: Surroundings
    var machine = OutboxMachine()
    /// Everything unsent, in the order it was written.
    var items: [OutboxItem] = []
    /// The places of the items in their order, by name: ten thousand are not searched for each message.
    var sequences: [RequestID: Int64] = [:]
    let observers = OutboxObservers()
    /// Who wait for the end of something.
    var waiters: [RequestID: [CheckedContinuation<RoostError?, Never>]] = [:]
    /// The client is closing: nobody waits any more.
    var isFinished = false
    /// Uploads under way, which go on when the socket is lost.
    var uploads: [RequestID: Task<RoostError?, Never>] = [:]
    /// In what words something was refused, until the end of the process.
    var reasons: [RequestID: RoostError] = [:]
    /// What is being written down, how often: the disk may say something else of it than we know.
    private var unsettled: [RequestID: Int] = [:]
    /// The looks at the disk that are under way, each with what was written down meanwhile.
    var looks: [Int: Set<RequestID>] = [:]
    var lastLook = 0
    /// Who wait until nobody looks.
    var lookers: [CheckedContinuation<Void, Never>] = []
    /// The disk had news of something that was being written down.
    var hasMissedNews = false
    /// Another process has written; what it wrote is to be known before anything leaves.
    var hasNews = false
    /// Whether there is a connection, though perhaps another process is the one that sends.
    var isConnected = false
    private var timers = Timers<Timer>()
    /// What the disk has not been told yet, in the order in which it happened.
    var owed: [Debt] = []
    /// How much of all that was ever owed it has been told, whatever it did with it.
    var toldCount = 0
    /// It has refused everything, and is left alone for a while.
    var hasRefused = false
    /// Who wait until it has been told, in their order; nil while nobody is at it.
    var repairers: [CheckedContinuation<StoreError?, Never>]?

    private enum Timer: Hashable, Sendable {
        case acknowledgement(RequestID)
        case rest(OutboxMachine.Lane)
        case owed
        case turn
    }

    /// How long a disk that refused is left alone.
    private static let repairDelay = Duration.seconds(5)
    /// How often it is asked whether the process that sends has ended.
    private static let turnDelay = Duration.seconds(5)
    /// A copy of a file that nobody names after so long was left by a crash.
    private static let orphanAgeMS: Int64 = 86_400_000

    init(
        world: World, store: OutboxStore, journal: SyncJournal, me: User,
        surroundings: Surroundings
    ) {
        self.world = world
        self.executor = world.executor
        self.store = store
        self.journal = journal
        self.me = me
        self.surroundings = surroundings
    }

    /// Takes up what an earlier run left unsent.
    func start() async throws(RoostError) {
        do {
            items = try await store.news(regardless: true)?.items ?? []
        } catch {
            throw RoostError(error)
        }
        for item in items {
            sequences[item.requestID] = item.sequence
            _ = step(.queued(OutboxMachine.Item(item)))
        }
        let past = world.wallTime().advanced(by: -Self.orphanAgeMS)
        // Files that stay do no harm; the next opening tries again.
        try? await store.tidyFiles(madeBefore: past)
        let rings = await store.rings()
        // Ends with the store's bell.
        Task(executorPreference: executor) { [weak self] in
            for await _ in rings { await self?.hearOthers() }
        }
    }

    /// There is a connection: what waits goes out, if this is the process that sends.
    func wentOnline() async {
        isConnected = true
        await takeTurn()
    }

    func wentOffline() async {
        isConnected = false
        timers.disarm(.turn)
        await receive(.wentOffline)
    }

    /// Sends, or asks again later whether the other process has ended.
    private func takeTurn() async {
        let turn = await store.maySend()
        // What the other process left is ours now.
        await hearOthers()
        if turn != nil, isConnected {
            await aimStranded()
            let unsure = unsureChannels
            if !unsure.isEmpty { await surroundings.look(unsure) }
        }
        guard isConnected else { return }
        // During each of these waits a suspension may have given the turn away.
        guard let turn, store.turn == turn else {
            // Who has asked since and got another one sees to it.
            guard store.turn == nil else { return }
            await receive(.wentOffline)
            timers.arm(.turn, for: Self.turnDelay, in: world) { number in
                await self.askAgain(number)
            }
            return
        }
        await receive(.wentOnline(now: world.wallTime()))
    }

    /// The files are open again: while they were not, another process may have begun to send.
    func resume() async {
        if isConnected { await takeTurn() } else { await hearOthers() }
    }

    private func askAgain(_ number: Int) async {
        guard timers.claim(.turn, number), isConnected else { return }
        await takeTurn()
    }

    /// Moves the machine, then does what it asks for.
    func receive(_ input: OutboxMachine.Input) async { await carryOut(step(input)) }

    /// Moves the machine, and writes down what moved it; the caller carries out what it asks for.
    func step(_ input: OutboxMachine.Input) -> [OutboxMachine.Effect] {
        let effects = machine.handle(input)
        journal.note(input, effects)
        return effects
    }

    /// Takes the name the server knows the user by; pending messages carry it from now on.
    func rename(to user: User) { me = user }

    /// Whether something is on its way or could leave at once.
    var isBusy: Bool { machine.isBusy }
    /// Whether something waits for its next try.
    var isResting: Bool { machine.isResting }

    /// The item as a timeline shows it; nil for a change.
    func message(_ item: OutboxItem) -> Message? {
        item.message(from: Sender(user: me), files: store.attachments)
    }

    // MARK: What the machine asks for

    func carryOut(_ effects: [OutboxMachine.Effect]) async {
        var debts: [Debt] = []
        var news: [News] = []
        for effect in effects { note(effect, &debts, &news) }
        if !debts.isEmpty {
            owe(debts)
            await payDebts()
        }
        for item in news { await tell(item) }
        // Nobody else changes what is noted as about to leave; until then somebody may have.
        // A look that was under way has passed over what was being written down until now.
        let leaves = effects.contains { if case .transmit = $0 { true } else { false } }
        if leaves { await waitForLooks() }
        if hasNews || leaves && hasMissedNews { await hearOthers() }
        for effect in effects {
            switch effect {
            case .transmit(let requestID):
                // On its own, so that one slow socket write keeps neither callers nor channels waiting;
                // it ends with the attempt.
                Task(executorPreference: executor) { await self.transmit(requestID) }
            case .armAckTimer(let requestID, let duration):
                guard machine.isOnItsWay(requestID) else { continue }
                arm(.acknowledgement(requestID), for: duration, then: .ackTimedOut(requestID))
            case .disarmAckTimer(let requestID): timers.disarm(.acknowledgement(requestID))
            case .armRest(let lane, let duration):
                arm(.rest(lane), for: duration, then: .rested(lane))
            case .noteAttempt, .store, .aim, .remove, .drop: break
            }
        }
    }

    /// What changed of an item, to be told when it is on disk.
    enum News {
        case state(OutboxItem)
        case removed(OutboxItem)
        case dropped(OutboxItem)
    }

    /// Takes an effect over into memory, at once, and notes what the disk has to be told.
    private func note(
        _ effect: OutboxMachine.Effect, _ debts: inout [Debt], _ news: inout [News]
    ) {
        switch effect {
        case .noteAttempt(let id):
            guard let index = index(of: id) else { return }
            items[index].hasLeft = true
            items[index].attemptCount += 1
            debts.append(Debt(note: .attempt(id)))
        case .store(let id, let state):
            guard let index = index(of: id) else { return }
            items[index].state = state
            debts.append(Debt(note: .state(id, state)))
            news.append(.state(items[index]))
        case .aim(let id, let messageID):
            guard let index = index(of: id), case .change(let action) = items[index].content else {
                return
            }
            items[index].content = .change(action.aimed(at: messageID))
            debts.append(Debt(note: .content(id, items[index].channel, items[index].content)))
        case .remove(let id), .drop(let id):
            guard let index = index(of: id) else { return }
            let item = takeOut(at: index)
            debts.append(Debt(note: .removal(id), copies: item.copies))
            if case .drop = effect {
                news.append(.dropped(item))
            } else {
                news.append(.removed(item))
            }
        case .transmit, .armAckTimer, .disarmAckTimer, .armRest: break
        }
    }

    func tell(_ news: News) async {
        switch news {
        case .state(let item):
            guard case .failed(let code) = item.state else { return }
            let error = reasons[item.requestID] ?? RoostError(refused: code)
            if let message = message(item) { observers.publish(.failed(message)) }
            if item.change != nil { await refuse(item, code) }
            resumeWaiters(of: item.requestID, with: error)
            if item.change == nil { await surroundings.changed(item.channel) }
        case .removed(let item):
            reasons[item.requestID] = nil
            resumeWaiters(of: item.requestID, with: nil)
            uploads.removeValue(forKey: item.requestID)?.cancel()
            if item.change == nil { await surroundings.changed(item.channel) }
        case .dropped(let item):
            resumeWaiters(of: item.requestID, with: .nothingToChange)
            if let change = item.change { observers.publish(.changeDropped(change)) }
        }
    }

    private func arm(
        _ timer: Timer, for duration: Duration, then input: OutboxMachine.Input
    ) {
        timers.arm(timer, for: duration, in: world) { number in
            await self.fired(timer, number, input)
        }
    }

    private func fired(_ timer: Timer, _ number: Int, _ input: OutboxMachine.Input) async {
        guard timers.claim(timer, number) else { return }
        await receive(input)
    }

    // MARK: The disk

    func unsettle(_ ids: [RequestID]) { for id in ids { unsettled[id, default: 0] += 1 } }

    /// The disk says what we know again.
    func settle(_ ids: [RequestID]) {
        for id in ids {
            guard let index = unsettled.index(forKey: id) else { continue }
            unsettled.values[index] -= 1
            if unsettled.values[index] == 0 { unsettled.remove(at: index) }
        }
        for look in looks.keys { looks[look]?.formUnion(ids) }
        if hasMissedNews, looks.isEmpty { hearAgain() }
    }

    /// Nobody looks at the disk now: what was written down during a look can be told from news again.
    func endHearing(isRead: Bool) {
        // Otherwise who writes something down asks, or the next ring.
        if isRead, hasMissedNews, unsettled.keys.allSatisfy({ refusal(of: $0) != nil }) {
            hearAgain()
        }
    }

    private func hearAgain() {
        // Ends when it has heard.
        Task(executorPreference: executor) { await self.hearOthers() }
    }

    /// Whether a look during which these were `touched` can tell of an item.
    func isSettled(_ id: RequestID, _ touched: Set<RequestID>) -> Bool {
        unsettled[id] == nil && !touched.contains(id)
    }

    func repairLater() {
        timers.arm(.owed, for: Self.repairDelay, in: world) { number in
            guard await self.claim(.owed, number) else { return }
            await self.repair()
        }
    }

    private func claim(_ timer: Timer, _ number: Int) -> Bool { timers.claim(timer, number) }
}

extension OutboxContent {
    var isChange: Bool { if case .change = self { true } else { false } }

    /// The unsent message that a change is about, which goes first.
    var awaited: RequestID? {
        guard case .change(let action) = self, case .unsent(let id)? = action.target else {
            return nil
        }
        return id
    }
}

extension OutboxMachine.Item {
    /// An item as it is on the disk; noted are those of which it says ahead that they leave now.
    init(_ item: OutboxItem, isNoted: Bool = false) {
        self.init(
            requestID: item.requestID, channel: item.channel,
            kind: item.content.isChange ? .change : item.hasUploads ? .file : .message,
            createdAt: item.createdAt, state: item.state, hasLeft: item.mayHaveArrived,
            isNoted: isNoted, awaited: item.content.awaited)
    }
}
