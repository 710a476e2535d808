// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostExecutors
package import RoostModel

/// The one client of a process, for code written against a library with one.
///
/// Each call of the app starts here and ends on the app's own queue. The door decides nothing; the
/// client does.
package final class Door: Sendable {
    /// The app's settings before a login.
    package struct Settings: Sendable {
        /// The application ID; nil until the library is initialised.
        ///
        /// All other settings may come before it.
        package var applicationID: String?
        /// The server's address; nil until the app names one.
        package var server: String?
        /// The place of the cache; nil for the system's place.
        package var cache: Configuration.Cache?
        /// Whether nothing is on disk, whatever `cache` names.
        package var isInMemory = false
        package var limit = CacheLimit()
        package var protection = Protection.none
        package var locksFilesWithDevice = false
        /// The handler of a rewrite of the cache; called on the app's queue, once for each opening
        /// that needs one.
        package var migrationBegins = Callback<Void>.none
        /// The source of a new token, asked when the server says that the token has expired.
        package var tokenProvider: (@Sendable () async -> String?)?
        /// The time limit for `tokenProvider`.
        package var tokenWait = Duration.seconds(60)
        /// The identity of the comparator of `limit.order`; nil without one.
        package var comparator: ObjectIdentifier?

        package init(applicationID: String? = nil, cache: Configuration.Cache? = nil) {
            self.applicationID = applicationID
            self.cache = cache
        }
    }

    private struct State {
        var settings = Settings()
        var account: UserID?
        /// The settings of the open client that another login may change.
        var signature: Settings.Signature?
        var opening: Opening?
        /// The number of clients opened so far.
        var openings = 0
        var report = Report()
        /// The user who is logged in; nil after `disconnect`.
        var user: User?
        var queue = CallbackQueue.main
        var world: World?
        var sending = WorkQueue()
        /// The queues of messages for open channels.
        var sendingToRooms: [ChannelURL: WorkQueue] = [:]
    }

    /// A client and its observer.
    struct Opened: Sendable {
        let client: ChatClient
        let observer: ClientObserver
    }

    private typealias Opening = Task<Result<Opened, RoostError>, Never>

    /// The client that was current when the call was made, whichever user logs in meanwhile.
    struct CurrentClient: Sendable {
        fileprivate let opening: Task<Result<Opened, RoostError>, Never>?
        fileprivate let isInitialized: Bool

        func opened() async throws(RoostError) -> Opened {
            if let opening { return try await opening.value.get() }
            throw isInitialized
                ? RoostError(
                    .connectionRequired, remedy: .signIn, message: "Connect a user first.")
                : RoostError(
                    .invalidInitialization, remedy: .correctInput,
                    message: "Initialize the library before anything else.")
        }
    }

    private let state = Guarded(State())

    // MARK: The report of the open client

    package var report: Report { state.withLock { $0.report } }

    /// Changes the report, unless the news is of a client that was closed meanwhile.
    func note(of number: Int, _ change: (inout Report) -> Void) {
        state.withLock { state in
            if state.openings == number { change(&state.report) }
        }
    }

    /// Replaces the user who is logged in by a newer version.
    package func update(_ user: User) {
        state.withLock { if $0.user?.id == user.id { $0.user = user } }
    }

    /// The channels whose objects the app keeps.
    package let kept = KeptChannels()
    /// The error of a call that the client has for group channels only.
    let notForOpenChannels: RoostError

    /// The library's receiver of the events of all clients, called on any thread.
    private let listener: @Sendable (ClientEvent) -> Void

    /// Creates a door.
    ///
    /// - Parameters:
    ///   - notForOpenChannels: The error of the library for a call on an open channel that the
    ///     client does not have.
    ///   - listener: The receiver of the events of all clients, called on any thread. It keeps the
    ///     channels of the app up to date, so it listens without any delegate too.
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
        state.withLock { change(&$0.settings) }
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

    /// Passes an event on to the listener.
    package func receive(_ event: ClientEvent) { listener(event) }

    /// The user who is logged in, or was at the last start; known before the server confirms the
    /// login.
    package var account: UserID? { state.withLock { $0.account } }

    package func call(on queue: CallbackQueue) { state.withLock { $0.queue = queue } }

    /// Starts over in the world of a test.
    package func enter(_ world: World) {
        state.withLock { state in
            state = State(world: world)
        }
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
            kept.forget()
            state.opening = Task(executorPreference: world.executor) {
                // Two clients of one user would compete for the files; of two users, the later one
                // counts.
                if case .success(let opened)? = await before?.value {
                    // All messages that the app has sent before are saved first.
                    await sent?.value
                    await opened.client.close()
                }
                switch await self.open(account, settings, world) {
                case .success(let client):
                    let observer = ClientObserver(self, of: account, number: number)
                    await observer.listen(to: client)
                    return .success(Opened(client: client, observer: observer))
                case .failure(let error):
                    self.forget(number)
                    return .failure(error)
                }
            }
        }
    }

    private func open(
        _ account: UserID, _ settings: Settings, _ world: World
    ) async -> Result<ChatClient, RoostError> {
        do throws(RoostError) {
            guard settings.server != nil else {
                throw RoostError(
                    .invalidInitialization, remedy: .correctInput,
                    message: "Set the server before the first connection.")
            }
            var configuration = Self.configuration(of: account, settings)
            if settings.migrationBegins.call != nil {
                let begins = settings.migrationBegins
                configuration.migrating = { step in
                    if step.done == 0 { self.notify(begins, ()) }
                }
            }
            return .success(try await ChatClient.open(configuration, world: world))
        } catch {
            return .failure(error)
        }
    }

    private static func configuration(
        of account: UserID, _ settings: Settings
    ) -> Configuration {
        var configuration = Configuration(
            applicationID: settings.applicationID ?? "", server: settings.server ?? "",
            userID: account, cache: settings.place,
            cacheLimit: settings.limit, protection: settings.protection)
        configuration.locksFilesWithDevice = settings.locksFilesWithDevice
        configuration.tokenProvider = settings.tokenProvider
        configuration.tokenWait = settings.tokenWait
        configuration.showsWaitingChanges = false
        return configuration
    }

    /// The configuration of the open client, or of this user's next one.
    package var configuration: Configuration? {
        state.withLock { state in
            state.account.map { Self.configuration(of: $0, state.settings) }
        }
    }

    /// Forgets a failed opening, so that the next call tries again.
    private func forget(_ number: Int) {
        state.withLock { state in
            if state.openings == number { (state.account, state.signature) = (nil, nil) }
        }
    }

    /// Returns the open client.
    package func client() async throws(RoostError) -> ChatClient {
        try await currentClient().opened().client
    }

    /// Returns the open client of a user; nil takes that of any user.
    ///
    /// - Throws: `.connectionCanceled` if another user has logged in meanwhile.
    func client(of account: UserID?) async throws(RoostError) -> ChatClient {
        let current = state.withLock { state in
            let isOther = account != nil && state.account != nil && state.account != account
            return isOther ? nil : currentClient(in: state)
        }
        guard let current else { throw .anotherUser }
        return try await current.opened().client
    }

    /// A closure that returns the client that is current now, whichever user logs in before it is
    /// called.
    package var capturedClient: @Sendable () async throws(RoostError) -> ChatClient {
        let current = currentClient()
        return { () async throws(RoostError) in try await current.opened().client }
    }

    /// Returns the client that is current now, for work that begins now.
    func currentClient() -> CurrentClient {
        state.withLock { currentClient(in: $0) }
    }

    private func currentClient(in state: State) -> CurrentClient {
        CurrentClient(
            opening: state.opening, isInitialized: state.settings.applicationID != nil)
    }

    /// Logs a user in and calls back with the user; if the server cannot be reached, with that of
    /// the last login.
    package func connect(
        _ user: UserID, token: String?, at server: String? = nil,
        then callback: Callback<(User?, RoostError?)>
    ) {
        open(user, at: server)
        let current = currentClient()
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
                if failure.remedy == .retry { me = try? await current.opened().client.me }
            }
            if let opened = try? await current.opened() { await opened.observer.report() }
            self.state.withLock { [me] in if $0.account == user { $0.user = me } }
            self.notify(callback, (me, error))
        }
    }

    /// Logs out; cache and outbox stay and can be read until another user logs in.
    package func disconnect(then callback: Callback<Void>) {
        let (current, account) = (currentClient(), account)
        start {
            if let opened = try? await current.opened() {
                await opened.client.logOut()
                await opened.observer.report()
            }
            self.state.withLock { if $0.account == account { $0.user = nil } }
            self.notify(callback, ())
        }
    }

    /// Closes the client; the next login starts over.
    package func close() async {
        let opening = state.withLock { state in
            defer {
                (state.opening, state.account, state.user) = (nil, nil, nil)
                (state.signature, state.report) = (nil, Report())
            }
            return state.opening
        }
        if case .success(let opened)? = await opening?.value { await opened.client.close() }
    }

    // MARK: Work

    /// Starts work on the client's executor, in the order of these calls.
    package func start(_ work: @escaping @Sendable () async -> Void) {
        // The caller waits for the callback only, which ends every piece of work.
        Task(executorPreference: world.executor) { await work() }
    }

    /// Calls the client and delivers the outcome, once, on the app's queue.
    package func perform<Value: Sendable>(
        then callback: Callback<Result<Value, RoostError>>,
        _ work: @escaping @Sendable (ChatClient) async throws(RoostError) -> Value
    ) {
        let current = currentClient()
        start {
            let result: Result<Value, RoostError>
            do throws(RoostError) {
                result = .success(try await work(try await current.opened().client))
            } catch {
                result = .failure(error)
            }
            self.notify(callback, result)
        }
    }

    /// Delivers a value to the app on its queue, where the app's objects are made.
    package func notify<Value: Sendable>(_ callback: Callback<Value>, _ value: Value) {
        callback.post(value, through: queue.async)
    }
}
