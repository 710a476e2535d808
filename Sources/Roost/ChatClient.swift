// SPDX-License-Identifier: Apache-2.0

package import RoostCore
@_exported public import RoostModel
package import RoostStore
import RoostTransport
import RoostWire

/// The connection, cache and outbox of one user.
///
/// A client serves what is on disk from its opening on, with or without a server. A process may
/// have several clients, for different users or applications.
public final class ChatClient: Sendable {
    /// The configuration of the opening.
    public let configuration: Configuration
    /// The faults of the files that the opening has repaired, in sentences to show or log; empty
    /// for none.
    public let storageReport: [String]

    let engine: SyncEngine
    package let store: Store
    let world: World
    let files: FileTransfers

    private init(
        configuration: Configuration, world: World, store: Store, engine: SyncEngine,
        files: FileTransfers
    ) {
        self.configuration = configuration
        self.world = world
        self.store = store
        self.engine = engine
        self.files = files
        storageReport = Repairs(cache: store.report, outbox: store.outboxReport).sentences
    }

    deinit {
        // A dropped client ends its connection, streams and waits, and closes its files, as `close`
        // does.
        Task(executorPreference: world.executor) { [engine, store, files] in
            files.close()
            await engine.close()
            await store.close()
        }
    }

    /// Opens the user's cache and outbox without a connection.
    ///
    /// An opening may take seconds: it waits for other processes, migrates, encrypts or repairs.
    /// With a cache in the container of an app group, iOS ends an app that is suspended meanwhile,
    /// because the app holds locks on shared files. So begin a background task before the opening,
    /// and cancel the opening's task when the background task expires. The opening then ends within
    /// milliseconds and releases every lock. The next one continues the work.
    ///
    /// - Throws: `.localDatabaseError` if the folder cannot be used, or the key is missing or
    ///   wrong; the message says what to do. `.invalidParameter` for an invalid configuration.
    ///   `.requestCanceled` if the task was canceled; then no file is open. No data are lost in
    ///   any case.
    public static func open(_ configuration: Configuration) async throws(RoostError) -> ChatClient {
        try await open(configuration, world: .live())
    }

    /// Opens a client with the caller's clock, network and executors.
    package static func open(
        _ configuration: Configuration, world: World
    ) async throws(RoostError) -> ChatClient {
        try configuration.validate()
        let address = try ServerAddress(
            configuration.server, allowsPlainTransport: configuration.allowsPlainTransport)
        let store: Store
        do {
            var options = Store.Options(executor: world.storeExecutor)
            options.budget = configuration.cacheLimit.budget
            options.clearOrder = configuration.cacheLimit.clearOrder
            options.keptMessages = configuration.cacheLimit.keptMessages
            options.downloadsLimit = configuration.downloadsLimit.bytes
            options.wallTime = world.wallTime
            options.protection = configuration.protection.store
            options.reportMigration { [migrating = configuration.migrating] done, total in
                migrating(CacheMigration(done: done, total: total))
            }
            options.locksFilesWithDevice = configuration.locksFilesWithDevice
            options.fileProtector = world.fileProtector
            store = try await Store.open(
                StoreLocation(configuration.cache),
                owner: StoreOwner(
                    application: configuration.applicationID, user: configuration.userID.rawValue),
                options)
        } catch {
            throw RoostError(error)
        }
        let engine = SyncEngine(
            world: world, configuration: configuration, store: store,
            api: ServerAPI(http: world.http, address: address))
        await engine.watchDamage()
        let found = Repairs(cache: store.report, outbox: store.outboxReport)
        do throws(RoostError) {
            try await engine.openOutbox(of: try await store.me(configuration.userID))
        } catch {
            await store.close()
            throw error.after(found)
        }
        // The writer opens its connection on its own thread, beside the app's first reads.
        await engine.reportMissedCommits()
        await engine.finishIndex()
        let count = found.sentences.count
        if count > 0 { await engine.receive(.repairedFiles(count: count)) }
        return ChatClient(
            configuration: configuration, world: world, store: store, engine: engine,
            files: FileTransfers(
                world, store.downloads, address, configuration.allowsPlainTransport))
    }

    // MARK: Connection

    /// Connects, and stays connected until `disconnect()` through every loss of the connection.
    ///
    /// The call returns when the server has accepted the login.
    ///
    /// - Throws: If the first attempt fails. With the remedy `.retry` the client continues by
    ///   itself, and the cache can be used meanwhile. With any other remedy it has stopped.
    public func connect() async throws(RoostError) {
        try await engine.run(.connecting(Connecting()))
    }

    /// Closes the connection and stops reconnecting; cache and outbox stay as they are.
    ///
    /// The next `connect()` enters the entered open channels again.
    public func disconnect() async { await engine.receive(.disconnect(isLogout: false)) }

    /// Disconnects, and leaves all entered open channels for good.
    package func logOut() async { await engine.receive(.disconnect(isLogout: true)) }

    /// The current state of the connection.
    public var connectionState: ConnectionState {
        get async { await engine.read { ConnectionState($0.link) } }
    }

    /// Passes the state of the connection to a closure, which runs before the state can change.
    package func withConnectionState(
        _ body: @escaping @Sendable (ConnectionState) -> Void
    ) async {
        await engine.read { body(ConnectionState($0.link)) }
    }

    /// Returns a stream of the current state and all later ones; a slow reader misses some but gets
    /// the last.
    public func connectionStates() async -> AsyncStream<ConnectionState> {
        await engine.read { [states = engine.performers.notices.connectionStates] in
            states.open(beginningWith: ConnectionState($0.link))
        }
    }

    /// Reports that a network has come or gone, if the app knows; a new network causes an immediate
    /// attempt.
    public func networkChanged(isUp: Bool) async {
        await engine.receive(.link(.networkChanged(isUp: isUp)))
    }

    /// Reports that the app has come to the foreground or gone to the background.
    ///
    /// In the background the client disconnects after a time that the server sets, 30 s by default;
    /// in the foreground it reconnects at once. Messages written meanwhile wait, unless `connect()`
    /// is called, as after a push. With a cache in the container of an app group, also await
    /// `suspend()` before the system suspends the app.
    public func appMoved(toForeground: Bool) async {
        await engine.receive(.link(.appMoved(toForeground: toForeground)))
    }

    /// Releases every lock on the client's files; an app with a cache in the container of an app
    /// group awaits it before the system suspends the app.
    ///
    /// iOS ends an app that holds a lock on a shared file while suspended. A cache in the app's own
    /// folder does not need the call. Reads and writes wait until `resume()`. The connection is
    /// left to the system.
    public func suspend() async {
        await engine.receive(.outbox(.suspended))
        await store.suspend()
    }

    /// Opens the files again after `suspend()`, when the app is back in the foreground.
    ///
    /// - Returns: The faults that were found and repaired, as in `storageReport`.
    /// - Throws: `.localDatabaseError` if the files cannot be opened now, as while the device is
    ///   locked. Reads and writes keep waiting, and the call may be repeated.
    @discardableResult
    public func resume() async throws(RoostError) -> [String] {
        do {
            let found = try await store.resume().sentences
            if !found.isEmpty { await engine.receive(.repairedFiles(count: found.count)) }
            // A suspension beside this call may have closed the files again, or be about to.
            if let count = store.suspensionsWhileOpen {
                await engine.receive(.outbox(.resumed(after: count)))
            }
            return found
        } catch {
            throw RoostError(error)
        }
    }

    /// Waits until nothing is being connected, fetched or sent; work that waits for its next
    /// attempt does not count.
    ///
    /// A cancellation of the task ends the wait, and a limit too, as in a background refresh whose
    /// time is short.
    ///
    /// - Parameter limit: The longest wait; nil for none.
    /// - Returns: Whether nothing is left to do, neither now nor in a later attempt.
    @discardableResult
    public func waitUntilIdle(atMost limit: Duration? = nil) async -> Bool {
        await engine.outcomeUnlessCanceled { .awaitIdle($0, atMost: limit) } == .flag(true)
    }

    /// Disconnects, and closes the collections and the files; the client cannot be used afterwards.
    public func close() async {
        files.close()
        await engine.close()
        await store.close()
    }

    // MARK: Channels

    /// Creates a channel with the user as a member.
    ///
    /// Needs a connection.
    ///
    /// - Returns: The channel, which is also in the cache; with `isDistinct` perhaps an existing
    ///   one.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func createChannel(
        _ params: ChannelCreateParams
    ) async throws(RoostError) -> GroupChannel {
        try await engine.run(
            .channelCreation(ChannelCreation(CreateChannel(params, by: configuration.userID))),
            \.channel)
    }

    /// Returns a channel from disk, or from the server if the disk does not have it.
    ///
    /// It shows the changes that wait in the outbox (`GroupChannel.pendingChanges`).
    ///
    /// - Throws: `.connectionRequired` if the disk does not have it and there is no connection;
    ///   `.localDatabaseError`, or the server's refusal.
    public func channel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel {
        try await marked(try await engine.run(.channelSearch(ChannelSearch(url)), \.channel))
    }

    /// Opens the user's channel list, which shows at once what is on disk.
    ///
    /// - Parameter query: The selection, order and size of a page.
    /// - Returns: The list; the server's first page follows.
    /// - Throws: `.localDatabaseError`.
    public func channelList(
        _ query: ChannelListQuery = ChannelListQuery()
    ) async throws(RoostError) -> ChannelList {
        let open = OpenList(
            ListID(await engine.nextNumber()), query, viewer: configuration.userID,
            showsChanges: configuration.showsWaitingChanges)
        let list = ChannelList(open, engine: engine)
        try await engine.run(.listOpening(ListOpening(open.id)), after: .openList(open))
        return list
    }

    // MARK: Messages

    /// Opens a channel's timeline, which shows at once what is on disk.
    ///
    /// If the disk has nothing of the channel and there is a connection, the server is asked first
    /// whether the channel exists; if it does not answer within two seconds, the timeline opens
    /// empty. Edits, deletions and reactions that wait in the outbox are shown, and marked
    /// (`Message.pendingChanges`). An edit that brings a message under the filter shows it when the
    /// server has made it.
    ///
    /// - Parameters:
    ///   - channel: The channel; it need not be in the cache.
    ///   - start: The moment to begin around; `.distantFuture` begins with the newest messages and
    ///     follows them.
    ///   - filter: The messages to show. Coverage without a filter serves every filter; a filter
    ///     costs requests of its own only for older messages. A thread is the filter of its
    ///     `parentID`.
    ///   - pageSize: The number of messages on either side at first and of each page, 1...200; nil
    ///     takes the configuration's.
    ///   - capacity: The number of delivered messages in memory, at least four pages. Beyond it
    ///     messages at the far end are dropped; paging brings them back.
    /// - Returns: The timeline; the server's page follows.
    /// - Throws: `.localDatabaseError`; `.channelNotFound` if the server says, or has said, that
    ///   the channel does not exist.
    public func timeline(
        of channel: ChannelURL, startingAt start: Timestamp = .distantFuture,
        filter: MessageFilter = .everything, pageSize: Int? = nil, capacity: Int = 1_000
    ) async throws(RoostError) -> Timeline {
        let open = OpenTimeline(
            TimelineID(await engine.nextNumber()), channel: channel, startingAt: start,
            filter: filter, capacity: capacity,
            pageSize: min(max(1, pageSize ?? configuration.pageSize), 200),
            showsChanges: configuration.showsWaitingChanges)
        let timeline = Timeline(open, engine: engine)
        try await engine.run(
            .timelineOpening(TimelineOpening(open.id)), after: .openTimeline(open))
        return timeline
    }

    // MARK: Inspection

    /// Returns the contents of the cache in numbers.
    package func inspection() async throws(RoostError) -> CacheInspection {
        try await read { reader throws(StoreError) in try await reader.inspection() }
    }

    /// Returns all unsent items, in the order of their calls.
    package func unsentItems() async throws(RoostError) -> [OutboxItem] {
        try await unsent().items
    }

    /// Returns all unsent items and those that cannot be read.
    package func unsent() async throws(RoostError) -> OutboxItems {
        try await onDisk { store throws(StoreError) in try await store.outbox.items() }
    }
}

extension StoreLocation {
    init(_ cache: Configuration.Cache) {
        switch cache {
        case .folder(let path): self = .folder(path)
        case .memory: self = .memory
        }
    }
}

extension Store {
    /// Returns the user as of the last login; before the first one, an ID without a name.
    func me(_ id: UserID) async throws(RoostError) -> User {
        try await userOfLastLogin(id) ?? User(id: id)
    }

    /// Returns the user as of the last login; nil before the first one.
    func userOfLastLogin(_ id: UserID) async throws(RoostError) -> User? {
        do {
            return try await readers[0].user(id).value
        } catch {
            throw RoostError(error)
        }
    }
}
