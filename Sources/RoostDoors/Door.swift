// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostExecutors
package import RoostModel

/// The one client of a process, for code written against a library with one.
///
/// Each call of the app starts here and ends on the app's own queue. The door decides nothing; the
/// client does.
package final class Door: Sendable {
    private struct State {
        var settings = Settings()
        var account: UserID?
        /// The user whose cache is opened as soon as the settings suffice; nil if none waits.
        var prepared: UserID?
        /// The rule and the work beside each client of one user; nil for none.
        var companion: Companion?
        /// Whether the user has logged out and no opening has followed.
        var isLoggedOut = false
        /// The settings of the open client that another login may change.
        var signature: Settings.Signature?
        var opening: Opening?
        /// The number of clients opened so far.
        var openings = 0
        var report = Report()
        /// The user who is logged in; nil after `disconnect`.
        var user: User?
        /// Whether the app has called to log in, and not to log out since.
        var wantsLogin = false
        var queue = CallbackQueue.main
        var world: World?
        var sending = WorkQueue()
        /// The queues of messages for open channels.
        var sendingToRooms: [ChannelURL: WorkQueue] = [:]

        /// Returns whether another user has logged in since; nil stands for any user.
        func isOther(_ account: UserID?) -> Bool {
            account != nil && self.account != nil && account != self.account
        }
    }

    /// A rule for a user's unsent messages, and work that begins with each client of the user.
    private struct Companion {
        let account: UserID
        let resendsUnsent: Bool
        let begin: @Sendable (ChatClient) async -> Void
    }

    private typealias Opening = Task<Result<Opened, RoostError>, Never>

    private let state = Guarded(State())

    // MARK: The report of the open client

    package var report: Report { state.withLock { $0.report } }

    /// Changes the report, unless the news is of a client that was closed meanwhile.
    func note(of number: Int, _ change: (inout Report) -> Void) {
        state.withLock { state in
            if state.openings == number { change(&state.report) }
        }
    }

    /// Shows the newest version of the user who is logged in, or whose login has taken long.
    package func update(_ user: User) {
        state.withLock { state in
            let isAwaited = state.wantsLogin && state.account == user.id
            if isAwaited || state.user?.id == user.id { state.user = user }
        }
    }

    /// The log of the app's calls and their outcomes.
    package let log = DoorLog()
    /// The channels whose objects the app keeps.
    package let kept = KeptChannels()
    /// The closing of a cache in a shared container while the app is in the background.
    let rest = SharedCacheRest()
    /// The error of a call that the client has for group channels only.
    let notForOpenChannels: RoostError

    /// The library's receiver of the events of all clients, called on the app's queue.
    private let listener: @Sendable (ClientEvent) -> Void

    /// Creates a door.
    ///
    /// - Parameters:
    ///   - notForOpenChannels: The error of the library for a call on an open channel that the
    ///     client does not have.
    ///   - listener: The receiver of the events of all clients, called on the app's queue. It keeps
    ///     the channels of the app up to date, so it listens without any delegate too.
    package init(
        notForOpenChannels: RoostError, listener: @escaping @Sendable (ClientEvent) -> Void
    ) {
        self.notForOpenChannels = notForOpenChannels
        self.listener = listener
    }

    // MARK: Settings

    package var settings: Settings { state.withLock { $0.settings } }
    package var user: User? { state.withLock { $0.user } }
    package var queue: CallbackQueue { state.withLock { $0.queue } }

    /// Changes the settings for later clients; an open client keeps its settings until the next
    /// login.
    package func configure(_ change: (inout Settings) -> Void) {
        let before = state.withLock { state in
            defer { change(&state.settings) }
            return state.settings
        }
        // The end of an object that only the old settings kept may call the door.
        withExtendedLifetime(before) {}
    }

    /// The queue that saves messages in the order of the calls.
    var sending: WorkQueue { state.withLock { $0.sending } }

    /// Returns the queue that sends the messages for an open channel in the order of the calls.
    func sending(to channel: ChannelURL) -> WorkQueue {
        state.withLock { state in
            if let queue = state.sendingToRooms[channel] { return queue }
            let queue = WorkQueue()
            state.sendingToRooms[channel] = queue
            return queue
        }
    }

    /// Shows an event in the kept objects and passes it on to the listener, on the app's queue.
    ///
    /// Lost events end all typing, and the kept channels are read again. `user` is that of the
    /// client; nil stands for the present one. The channel of the event was read after the moment.
    /// After the login call of another user no event reaches the app but the end of the connection,
    /// which names its user (scar 34).
    package func receive(
        _ event: ClientEvent, of user: UserID? = nil,
        askedAt moment: KeptChannels.Moment = .next()
    ) {
        if case .event(.missed, _) = event, isPresent(user)() {
            // A lost event may be the end of typing, or news of any channel.
            state.withLock { $0.report.typing = [:] }
            showKept()
        }
        queue.async { [self] in
            switch event {
            case .connection(.disconnected, _, _): listener(event)
            case .connection(_, _, let user): if isPresent(user)() { listener(event) }
            case .event(let news, let channel):
                guard isPresent(user)() else { return }
                let shown = channel.map { keptState(of: $0, in: news, askedAt: moment) }
                withExtendedLifetime(shown) { listener(event) }
            }
        }
    }

    /// A test of whether a user is still the present one; nil stands for any user.
    ///
    /// Make it on the app's queue: another user may log in while an event waits there.
    package func isPresent(_ account: UserID?) -> @Sendable () -> Bool {
        { [self] in state.withLock { !$0.isOther(account) } }
    }

    /// The user who is logged in, or was at the last start.
    package var account: UserID? { state.withLock { $0.account ?? $0.prepared } }
    /// Whether the user has logged out and no user was named afterwards.
    package var isLoggedOut: Bool { state.withLock { $0.isLoggedOut } }
    package func call(on queue: CallbackQueue) { state.withLock { $0.queue = queue } }

    /// Starts over in the world of a test.
    package func enter(_ world: World) {
        kept.forget()
        state.withLock { $0 = State(world: world) }
    }

    /// The world of all clients of this door.
    package var world: World {
        state.withLock { state in
            if let world = state.world { return world }
            let world = World.live()
            state.world = world
            return world
        }
    }

    // MARK: Users

    /// Opens a user's cache, unless it is open with the present settings, without a connection.
    ///
    /// An open client of another user or with other settings is closed.
    package func open(_ account: UserID, at server: String? = nil) {
        let world = world
        state.withLock { state in
            if let server { state.settings.server = server }
            let (settings, signature) = (state.settings, state.settings.signature)
            if settings.suffice { state.prepared = nil }
            guard settings.applicationID != nil,
                state.account != account || state.signature != signature
            else { return }
            let (before, sent) = (state.opening, state.sending.last)
            state.account = account
            state.signature = signature
            state.openings += 1
            let number = state.openings
            state.report = Report()
            state.sendingToRooms = [:]
            kept.belong(to: account, of: settings.applicationID)
            state.opening = Task(executorPreference: world.executor) {
                // Two clients of one user compete for the files; of two users, the later counts.
                if case .success(let opened)? = await before?.value {
                    // All messages that the app has sent before are saved first.
                    await sent?.value
                    await opened.client.close()
                }
                do throws(RoostError) {
                    let client = try await self.openClient(of: account, settings, world)
                    let observer = ClientObserver(
                        self, of: account, number: number, settings: settings)
                    await observer.listen(to: client)
                    await self.accompany(client, of: account)
                    await observer.giveUpFormer()
                    return .success(Opened(client: client, observer: observer))
                } catch {
                    self.forget(number)
                    return .failure(error)
                }
            }
        }
    }

    /// Opens a user's cache now, or as soon as application and server are set and a call needs it.
    package func prepare(_ account: UserID) {
        state.withLock { ($0.prepared, $0.isLoggedOut) = (account, false) }
        open(account)
    }

    /// Opens the cache of a user who was named before the settings were complete.
    private func openPrepared() {
        let account = state.withLock { $0.settings.suffice ? $0.prepared : nil }
        if let account { open(account) }
    }

    /// Begins work with the open client of a user, and with each later one, until another call
    /// replaces it; `resendsUnsent` takes the place of the setting of this name.
    package func accompany(
        _ account: UserID, resendsUnsent: Bool, prepares: Bool,
        _ begin: @escaping @Sendable (ChatClient) async -> Void
    ) {
        let companion = Companion(account: account, resendsUnsent: resendsUnsent, begin: begin)
        state.withLock { $0.companion = companion }
        if prepares { prepare(account) }
        start {
            // Without a client the next opening begins the work.
            guard let opened = try? await self.opened(of: account) else { return }
            await self.accompany(opened.client, of: account)
            await opened.observer.applyRule()
        }
    }

    /// Whether a user's unsent messages wait for a connection; nil if the settings decide.
    func resendsUnsent(of account: UserID) -> Bool? {
        state.withLock { $0.companion?.account == account ? $0.companion?.resendsUnsent : nil }
    }

    private func accompany(_ client: ChatClient, of account: UserID) async {
        let companion = state.withLock { $0.companion }
        if let companion, companion.account == account { await companion.begin(client) }
    }

    private func openClient(
        of account: UserID, _ settings: Settings, _ world: World
    ) async throws(RoostError) -> ChatClient {
        guard settings.server != nil else {
            throw RoostError(
                .invalidInitialization, remedy: .correctInput,
                message: "Set the server before the first connection.")
        }
        var configuration = settings.configuration(of: account)
        Self.createStandardFolder(for: configuration.cache)
        if settings.migrationBegins.call != nil {
            let begins = settings.migrationBegins
            configuration.migrating = { step in
                if step.done == 0 { self.notify(begins, ()) }
            }
        }
        let reporting = world.reportingRequests { [log] line in log.note(.verbose, line()) }
        return try await ChatClient.open(configuration, world: reporting)
    }

    /// The configuration of the open client, or of this user's next one.
    package var configuration: Configuration? {
        state.withLock { state in state.account.map { state.settings.configuration(of: $0) } }
    }

    /// Forgets a failed opening, so that the next call tries again.
    private func forget(_ number: Int) {
        state.withLock { state in
            guard state.openings == number else { return }
            state.prepared = state.prepared ?? state.account
            (state.account, state.signature) = (nil, nil)
        }
    }

    /// Returns the client for a call of a user, for which a shared cache at rest is opened; nil
    /// stands for any user.
    func clientForCall(of account: UserID? = nil) -> CurrentClient {
        openPrepared()
        let current = presentClient(of: account)
        if current.isShared { rest.noteCall(self) }
        return current
    }

    /// Returns the client that is current now, for a report; opens nothing.
    func presentClient(of account: UserID? = nil) -> CurrentClient {
        state.withLock { state in
            guard !state.isOther(account) else {
                return CurrentClient(opening: nil, absence: .anotherUser, isShared: false)
            }
            return CurrentClient(
                opening: state.opening,
                absence: state.settings.applicationID == nil ? .notInitialized : .noUser,
                isShared: state.settings.isShared)
        }
    }

    /// Logs a user in and calls back with the user; if the server cannot be reached, with that of
    /// the last login, if there was one.
    package func connect(
        _ user: UserID, token: String?, at server: String? = nil,
        then callback: Callback<(User?, RoostError?)>
    ) {
        open(user, at: server)
        // Another thread may have named another user, who must not get this one's token.
        let current = clientForCall(of: user)
        state.withLock { ($0.wantsLogin, $0.isLoggedOut) = (true, false) }
        start {
            var error: RoostError?
            var me: User?
            do throws(RoostError) {
                let opened = try await current.opened()
                await opened.client.use(token: token)
                try await opened.client.connect()
                me = try await opened.client.me
                await opened.observer.learn()
            } catch let failure {
                error = failure
                if failure.remedy == .retry {
                    me = try? await current.opened().client.userOfLastLogin
                }
            }
            if let opened = try? await current.opened() { await opened.observer.report() }
            self.state.withLock { [me] state in
                guard state.account == user, state.wantsLogin else { return }
                (state.user, state.isLoggedOut) = (me, false)
            }
            self.notify(callback, (me, error))
        }
    }

    /// Logs out; cache and outbox stay and can be read until another user logs in.
    package func disconnect(then callback: Callback<Void>) {
        let account = account
        let current = clientForCall(of: account)
        state.withLock { $0.wantsLogin = false }
        start {
            if let opened = try? await current.opened() {
                await opened.client.logOut()
                await opened.observer.report()
            }
            self.state.withLock { state in
                // An opening that has failed leaves its user prepared.
                let known = state.account ?? state.prepared
                guard known == account, !state.wantsLogin else { return }
                (state.user, state.isLoggedOut) = (nil, true)
            }
            self.notify(callback, ())
        }
    }

    /// Closes the client; the next login starts over.
    package func close() async {
        let opening = state.withLock { state in
            defer {
                (state.opening, state.account, state.user, state.prepared) = (nil, nil, nil, nil)
                (state.signature, state.report, state.wantsLogin) = (nil, Report(), false)
            }
            return state.opening
        }
        if case .success(let opened)? = await opening?.value { await opened.client.close() }
    }
}
