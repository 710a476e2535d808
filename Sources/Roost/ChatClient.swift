// SPDX-License-Identifier: Apache-2.0

import RoostCore
@_exported public import RoostModel
package import RoostStore
import RoostTransport
import RoostWire

/// One user's connection, cache and outbox.
///
/// It serves what is on disk from the moment it is open, with or without a server. Several clients may
/// live in one process, for different users or applications.
public final class ChatClient: Sendable {
    /// What the client was opened with.
    public let configuration: Configuration
    /// What went wrong with the files and was put right while opening; show it, or log it.
    public let storageReport: [String]

    let engine: SyncEngine
    private let link: Link
    let outbox: Outbox
    package let store: Store
    let world: World

    private init(
        configuration: Configuration, world: World, store: Store, engine: SyncEngine, link: Link,
        outbox: Outbox
    ) {
        self.configuration = configuration
        self.world = world
        self.store = store
        self.engine = engine
        self.link = link
        self.outbox = outbox
        storageReport = store.report.sentences + store.outboxReport.sentences
    }

    deinit {
        // A client that is only dropped must not leave its socket and files open.
        Task(executorPreference: world.executor) { [link, store] in
            await link.receive(.disconnect)
            await store.close()
        }
    }

    /// Opens the user's cache and outbox; asks no server.
    ///
    /// - Throws: `.localDatabaseError` when the folder cannot be used or the key is missing or wrong, with
    ///   a sentence that says what to do; `.invalidParameter` for a configuration that cannot work.
    ///   Nothing that was there is lost.
    public static func open(_ configuration: Configuration) async throws(RoostError) -> ChatClient {
        try await open(configuration, world: .live())
    }

    /// Opens a client in a world of the caller's making.
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
            options.protection = configuration.protection.store
            options.tellOfMoving { [migrating = configuration.migrating] done, total in
                migrating(CacheMigration(done: done, total: total))
            }
            options.locksFilesWithDevice = configuration.locksFilesWithDevice
            store = try await Store.open(
                StoreLocation(configuration.cache),
                owner: StoreOwner(
                    application: configuration.applicationID, user: configuration.userID.rawValue),
                options)
        } catch {
            throw RoostError(error)
        }
        let journal = SyncJournal(wallTime: world.wallTime)
        let engine = SyncEngine(
            world: world, configuration: configuration, store: store,
            api: ServerAPI(
                http: world.http, address: address, journal: journal, wallTime: world.wallTime),
            journal: journal)
        let link = Link(
            world: world, address: address, configuration: configuration, journal: journal
        ) { [weak engine] news in await engine?.receive(news)
        }
        let outbox = Outbox(
            world: world, store: store.outbox, journal: journal,
            me: try await store.me(configuration.userID),
            surroundings: Outbox.Surroundings(
                deliver: { [weak engine] item, isOnline in
                    await engine?.deliver(item, isOnline: isOnline) ?? .isMoot
                },
                upload: { [weak engine] upload, source throws(RoostError) in
                    guard let engine else { throw .notConnected }
                    return try await engine.upload(upload, source)
                },
                changed: { [weak engine] channel in await engine?.unsentChanged(in: channel) },
                isShown: { [weak engine] channel in
                    engine?.assumeIsolated { !$0.openTimelines(of: channel).isEmpty } ?? false
                },
                show: { [weak engine] unsent, channel in
                    let timelines = engine?.assumeIsolated { $0.openTimelines(of: channel) }
                    for timeline in timelines ?? [] {
                        timeline.assumeIsolated { $0.setUnsent(unsent) }
                    }
                },
                find: { [weak engine] id throws(RoostError) in try await engine?.find(id) },
                held: { [weak engine] id in await engine?.held(id) },
                look: { [weak engine] channels in await engine?.lookForUnsure(in: channels) }))
        await engine.attach(link: link, outbox: outbox)
        await engine.hearOthers()
        await engine.mendWhatBreaks()
        await engine.finishIndex()
        try await outbox.start()
        return ChatClient(
            configuration: configuration, world: world, store: store, engine: engine, link: link,
            outbox: outbox)
    }

    // MARK: Connection

    /// Connects and stays connected until `disconnect`, through every loss of the link.
    ///
    /// Returns when the server has accepted the login.
    ///
    /// - Throws: When the first try fails. With the remedy `.retry` the client goes on trying by itself,
    ///   and what is on disk can be used meanwhile; with any other remedy it has stopped.
    public func connect() async throws(RoostError) {
        if let error = await engine.connect() { throw error }
    }

    /// Closes the connection and stops trying; cache and outbox stay as they are.
    public func disconnect() async { await engine.disconnect() }

    public var connectionState: ConnectionState {
        get async { await engine.connectionState }
    }

    /// The present state and every later one; a slow reader skips some and ends with the last.
    public func connectionStates() async -> AsyncStream<ConnectionState> {
        await engine.connectionStates()
    }

    /// Tells the client that a network has come or gone, where the app knows.
    public func networkChanged(isUp: Bool) async {
        await link.receive(.networkChanged(isUp: isUp))
    }

    /// Tells the client that the app has come to the foreground or gone to the background.
    ///
    /// In the background the connection is given up after a while that the server names, 30 s unless it
    /// does; the foreground opens it again at once. What is written meanwhile waits, unless `connect` is
    /// called, as after a push. Before the system suspends the app, `suspend` has to be awaited as well.
    public func appMoved(toForeground: Bool) async {
        await link.receive(.appMoved(toForeground: toForeground))
    }

    /// Gives up every lock on the client's files; to be awaited before the system suspends the app.
    ///
    /// iOS ends an app that holds a lock on a shared file while it is suspended. What is written or read
    /// until `resume` waits for it; the connection is left to the system.
    public func suspend() async { await store.suspend() }

    /// Opens the files again after `suspend`, when the app is back in the foreground.
    ///
    /// - Returns: What went wrong with the files meanwhile and was put right, as in `storageReport`.
    /// - Throws: `.localDatabaseError` when they cannot be opened now, as while the device is locked;
    ///   everything goes on waiting, and the call may be made again.
    @discardableResult
    public func resume() async throws(RoostError) -> [String] {
        do {
            let found = try await store.resume()
            await outbox.resume()
            return found.sentences
        } catch {
            throw RoostError(error)
        }
    }

    /// Returns when nothing is being connected, fetched or sent; work that waits for its next try is not.
    public func waitUntilIdle() async { await engine.waitUntilIdle() }

    /// Returns at the same moment, or when `limit` has passed.
    ///
    /// - Returns: Whether nothing is left to do: no work is under way, and none waits for its next try.
    package func waitUntilIdle(atMost limit: Duration) async -> Bool {
        await engine.waitUntilIdle(atMost: limit)
    }

    /// Disconnects and closes the collections and the files; the client cannot be used afterwards.
    public func close() async {
        await engine.disconnect()
        await engine.finishObservers()
        await outbox.finish()
        await store.close()
    }

    // MARK: Channels

    /// Makes a channel with the user and others in it.
    ///
    /// Needs a connection.
    public func createChannel(
        _ params: ChannelCreateParams
    ) async throws(RoostError) -> GroupChannel {
        try await engine.createChannel(params)
    }

    /// A channel from disk, or from the server when the disk has none.
    public func channel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel {
        try await engine.channel(url)
    }

    /// Opens the user's channel list; it shows at once what is on disk.
    public func channelList(
        _ query: ChannelListQuery = ChannelListQuery()
    ) async throws(RoostError) -> ChannelList {
        let list = ChannelList(query: query, engine: engine, executor: world.executor)
        try await engine.open(list)
        return list
    }

    // MARK: Messages

    /// Opens a channel's timeline; it shows at once what is on disk.
    ///
    /// - Parameters:
    ///   - channel: The channel; it need not be known yet.
    ///   - start: The moment around which to begin; `.distantFuture` begins with the newest messages and
    ///     follows them.
    ///   - filter: Which messages are shown. What is known under no filter is shown under each at once; a
    ///     filter of its own costs requests only for what is older. A thread is the filter of its `parentID`.
    ///   - pageSize: How many messages it shows at first on either side and loads with each page, 1...200;
    ///     the configuration's unless it is given.
    ///   - capacity: How many delivered messages the timeline holds in memory, four pages at least. Beyond it
    ///     those farthest from where it grows leave it, and come back by paging.
    /// - Returns: The timeline, which shows what the disk has; the server's page follows.
    /// - Throws: `.localDatabaseError` when the disk fails.
    public func timeline(
        of channel: ChannelURL, startingAt start: Timestamp = .distantFuture,
        filter: MessageFilter = .everything, pageSize: Int? = nil, capacity: Int = 1_000
    ) async throws(RoostError) -> Timeline {
        let timeline = Timeline(
            channel: channel, startingAt: start, filter: filter, capacity: capacity,
            pageSize: min(max(1, pageSize ?? configuration.pageSize), 200), engine: engine,
            executor: world.executor)
        try await engine.open(timeline)
        return timeline
    }

    // MARK: A look inside

    /// What the cache holds, in numbers.
    package func inspection() async throws(RoostError) -> CacheInspection {
        do { return try await engine.reader.inspection() } catch { throw RoostError(error) }
    }

    /// Everything unsent, in the order it was written.
    package func unsentMessages() async throws(RoostError) -> [OutboxItem] {
        try await unsent().items
    }

    /// The same with what cannot be read.
    package func unsent() async throws(RoostError) -> OutboxItems {
        do { return try await store.outbox.items() } catch { throw RoostError(error) }
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
    /// The user as the last connection knew them; a bare ID before the first.
    fileprivate func me(_ id: UserID) async throws(RoostError) -> User {
        do {
            return try await readers[0].user(id).value ?? User(id: id)
        } catch {
            throw RoostError(error)
        }
    }
}
