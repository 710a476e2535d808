// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostExecutors
package import RoostModel

/// The one client of a process, for code that was written against a library with one.
///
/// What the app asks for starts here and ends on the app's own queue. Nothing is decided here: that is the
/// client's business.
package final class Door: Sendable {
    /// What the app said before anybody logged in.
    package struct Settings: Sendable {
        /// Nil until the library is initialized; the rest may be said before.
        package var applicationID: String?
        /// Nil until the app names one.
        package var server: String?
        /// Nil for the system's place.
        package var cache: Configuration.Cache?
        package var limit = CacheLimit()
        package var protection = Protection.none
        package var locksFilesWithDevice = false
        /// Told on the app's queue, once for each opening that has to move the cache.
        package var migrationBegins = Callback<Void>.none

        package init(applicationID: String? = nil, cache: Configuration.Cache? = nil) {
            self.applicationID = applicationID
            self.cache = cache
        }
    }

    private struct State {
        var settings = Settings()
        var account: UserID?
        var opening: Opening?
        /// Who is logged in; nil after `disconnect`.
        var user: User?
        var queue = CallbackQueue.main
        var world: World?
        var sending = WorkQueue()
        var listener: (@Sendable (ClientNews) -> Void)?
    }

    /// A client, and what hears it.
    struct Opened: Sendable {
        let client: ChatClient
        let ear: ClientEar
    }

    private typealias Opening = Task<Result<Opened, RoostError>, Never>

    /// Whose client is meant by what is asked for at one moment, whoever logs in before it is done.
    struct Meant: Sendable {
        fileprivate let opening: Task<Result<Opened, RoostError>, Never>?
        fileprivate let isInitialized: Bool

        func opened() async throws(RoostError) -> Opened {
            if let opening { return try await opening.value.get() }
            throw isInitialized
                ? RoostError(
                    .connectionRequired, remedy: .signIn, message: "Connect as somebody first.")
                : RoostError(
                    .invalidInitialization, remedy: .correctInput,
                    message: "Initialize the library before anything else.")
        }
    }

    private let state = Guarded(State())

    package init() {}

    // MARK: Settings

    package var settings: Settings { state.withLock { $0.settings } }
    package var user: User? { state.withLock { $0.user } }
    package var queue: CallbackQueue { state.withLock { $0.queue } }

    /// Takes what later clients are opened with; one that is open stays as it is until another user comes.
    package func configure(_ change: (inout Settings) -> Void) {
        state.withLock { change(&$0.settings) }
    }

    /// Has news told to somebody, on whichever thread; there is one at a time.
    package func listen(_ listener: @escaping @Sendable (ClientNews) -> Void) {
        state.withLock { $0.listener = listener }
    }

    /// Messages are written down in the order of the calls.
    var sending: WorkQueue { state.withLock { $0.sending } }

    func hear(_ news: ClientNews) { state.withLock { $0.listener }?(news) }

    /// Who is logged in, or was when the app began, before the server has said so.
    package var account: UserID? { state.withLock { $0.account } }

    package func call(on queue: CallbackQueue) { state.withLock { $0.queue = queue } }

    /// Begins anew in a world of a test's making.
    package func enter(_ world: World) {
        state.withLock { state in
            state = State(world: world, listener: state.listener)
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

    /// Opens a user's cache, unless it is open; asks no server.
    package func open(_ account: UserID) {
        let world = world
        state.withLock { state in
            let settings = state.settings
            guard state.account != account, settings.applicationID != nil else { return }
            let before = state.opening
            state.account = account
            state.opening = Task(executorPreference: world.executor) {
                // Two clients of one user would take turns with the files; of two users, the second is meant.
                if case .success(let opened)? = await before?.value { await opened.client.close() }
                switch await self.open(account, settings, world) {
                case .success(let client):
                    let ear = ClientEar(self, of: account)
                    await ear.listen(to: client)
                    return .success(Opened(client: client, ear: ear))
                case .failure(let error):
                    self.forget(account)
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
                    message: "Name the server before anybody connects.")
            }
            var configuration = Self.configuration(of: account, settings)
            if settings.migrationBegins.call != nil {
                let begins = settings.migrationBegins
                configuration.migrating = { step in
                    if step.done == 0 { self.tell(begins, ()) }
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
            userID: account, cache: settings.cache ?? .folder(standardFolder),
            cacheLimit: settings.limit, protection: settings.protection)
        configuration.locksFilesWithDevice = settings.locksFilesWithDevice
        return configuration
    }

    /// What the open client was opened with, or the next one of this user will be.
    package var configuration: Configuration? {
        state.withLock { state in
            state.account.map { Self.configuration(of: $0, state.settings) }
        }
    }

    /// What could not be opened is tried again with the next call.
    private func forget(_ account: UserID) {
        state.withLock { state in
            if state.account == account { state.account = nil }
        }
    }

    /// The open client.
    package func client() async throws(RoostError) -> ChatClient {
        try await meant().opened().client
    }

    /// Opens the client of this moment, whoever logs in before it is called.
    package var clientOfNow: @Sendable () async throws(RoostError) -> ChatClient {
        let meant = meant()
        return { () async throws(RoostError) in try await meant.opened().client }
    }

    /// The client of this moment, to be asked for inside the work that is begun now.
    func meant() -> Meant {
        state.withLock {
            Meant(opening: $0.opening, isInitialized: $0.settings.applicationID != nil)
        }
    }

    /// Logs a user in, and tells who it is: from the last login when the server is out of reach.
    package func connect(
        _ user: UserID, token: String?, then callback: Callback<(User?, RoostError?)>
    ) {
        open(user)
        let meant = meant()
        start {
            var error: RoostError?
            var me: User?
            do throws(RoostError) {
                let client = try await meant.opened().client
                await client.use(token: token)
                try await client.connect()
                me = try await client.me
            } catch let failure {
                error = failure
                if failure.remedy == .retry { me = try? await meant.opened().client.me }
            }
            self.state.withLock { [me] in if $0.account == user { $0.user = me } }
            self.tell(callback, (me, error))
        }
    }

    /// Logs out; cache and outbox stay, and can be read until somebody else logs in.
    package func disconnect(then callback: Callback<Void>) {
        let (meant, account) = (meant(), account)
        start {
            if let client = try? await meant.opened().client { await client.disconnect() }
            self.state.withLock { if $0.account == account { $0.user = nil } }
            self.tell(callback, ())
        }
    }

    /// Closes the client; the next user begins anew.
    package func close() async {
        let opening = state.withLock { state in
            defer { (state.opening, state.account, state.user) = (nil, nil, nil) }
            return state.opening
        }
        if case .success(let opened)? = await opening?.value { await opened.client.close() }
    }

    // MARK: Work

    /// Starts work on the client's executor; works begin in the order of these calls.
    package func start(_ work: @escaping @Sendable () async -> Void) {
        // Whoever asked waits for no more than the callback, which every piece of work ends with.
        Task(executorPreference: world.executor) { await work() }
    }

    /// Asks the client for something and tells the outcome, once, on the app's queue.
    package func perform<Value: Sendable>(
        then callback: Callback<Result<Value, RoostError>>,
        _ work: @escaping @Sendable (ChatClient) async throws(RoostError) -> Value
    ) {
        let meant = meant()
        start {
            let result: Result<Value, RoostError>
            do throws(RoostError) {
                result = .success(try await work(try await meant.opened().client))
            } catch {
                result = .failure(error)
            }
            self.tell(callback, result)
        }
    }

    /// Hands a value to the app on its queue; what the app sees is made there.
    package func tell<Value: Sendable>(_ callback: Callback<Value>, _ value: Value) {
        callback.post(value, through: queue.async)
    }
}
