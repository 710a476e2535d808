// SPDX-License-Identifier: Apache-2.0

public import Roost
import RoostModel
import Synchronization

/// A chat server, people and devices in virtual time, for tests of an app's own code.
///
/// A test plays a story in a world. The server and the clients are the real ones; the network and the clock
/// are simulated, so a minute passes in milliseconds, and a story with the same seed always takes the same
/// course.
///
/// ```swift
/// @MainActor @Test func `a message written without a network is delivered later`() async throws {
///     try await TestWorld.run { world in
///         let channel = try await world.person("bob").createChannel(with: ["alice"])
///         let phone = try world.device(of: "alice")
///         let client = try await phone.launch()
///         try await client.connect()
///         await phone.cutLink()
///         try await client.send("Hello", to: channel)
///         phone.restoreLink()
///         try await world.wait { try await world.messages(in: channel).count == 1 }
///     }
/// }
/// ```
///
/// The story and the app's code may use the main actor and the clients, also in a `Task {}` of the
/// main actor. Actors without an executor of their own and waits on the world's clock take part if
/// the story itself calls them. Other work is not part of the world: virtual time does not wait for
/// it. Such work is a detached task and a wait of real time. Such work is also what a `Task {}` of
/// the app does on an actor of its own, and its wait on the world's clock.
public final class TestWorld: Sendable {
    private struct State {
        var people: [UserID: TestPerson] = [:]
        var devices: [TestDevice] = []
    }

    private let world: SimulatedWorld
    private let folders: TestFolders
    private let state = Mutex(State())

    private init(_ world: SimulatedWorld, _ folders: TestFolders) {
        self.world = world
        self.folders = folders
    }

    /// Tells a story in a new world.
    ///
    /// The clients of the world are closed when the story ends. Its files are removed then, and
    /// also if the story cannot end.
    ///
    /// - Parameters:
    ///   - seed: Decides the delays on the network; the same seed gives the same course.
    ///   - story: The actions of the test; runs on the main actor.
    ///   - fileID: The file of the call, for the failure of a story that cannot end.
    ///   - line: The line of the call.
    /// - Returns: The result of the story.
    /// - Throws: The error of the story; `TestFailure` if the story waits for an event that cannot come.
    @MainActor
    public static func run<Value: Sendable>(
        seed: UInt64 = 1, _ story: @escaping @MainActor @Sendable (TestWorld) async throws -> Value,
        fileID: String = #fileID, line: Int = #line
    ) async throws -> Value {
        let executor = SimulatedExecutor()
        let folders = TestFolders()
        // A story that waits for ever keeps its devices, so they cannot remove their folders.
        defer { folders.removeAll() }
        return try await executor.runOnMainActor(at: "\(fileID):\(line)") {
            let world = TestWorld(await SimulatedWorld(seed: seed, on: executor), folders)
            let result: Result<Value, any Error>
            do { result = .success(try await story(world)) } catch { result = .failure(error) }
            await world.end()
            return try result.get()
        }
    }

    private func end() async {
        let devices = state.withLock { $0.devices }
        for device in devices { await device.end() }
    }

    /// The virtual time since the story began.
    public var now: Duration { world.executor.now }

    /// The moment that the clocks of the server and of all devices show.
    public var wallTime: Timestamp {
        SimulatedWorld.wallTime(world.executor, world.serverClockError)
    }

    /// The clock of the world, for app code that takes a clock.
    public var clock: TestClock { TestClock(world.executor) }

    /// Registers a user at the server, unless an earlier call did so.
    ///
    /// - Parameters:
    ///   - id: The ID of the user.
    ///   - nickname: The name that others see; the ID if it is empty. Counts in the first call only.
    /// - Returns: The user as a person who uses another app.
    public func person(_ id: UserID, nickname: String = "") async -> TestPerson {
        if let known = state.withLock({ $0.people[id] }) { return known }
        await world.add(User(id: id, nickname: nickname.isEmpty ? id.rawValue : nickname))
        let person = TestPerson(id, world, sessionKey: await world.sessionKey(of: id))
        return state.withLock { state in
            state.people[id] = state.people[id] ?? person
            return state.people[id] ?? person
        }
    }

    /// Gives a user a token, in place of the one before; later logins of the user need it.
    ///
    /// The sessions of the token before end, and so do those that began without a token. A
    /// connected app learns of that at once, and asks its `Configuration.tokenProvider`. A
    /// ``TestPerson`` of the user goes on with the new token.
    public func setToken(_ token: String, of user: UserID) async {
        await world.replaceToken(token, of: user)
        await state.withLock { $0.people[user] }?.renewSession()
    }

    /// Creates a device for a user; its link is up, its disk is empty, and no app runs on it.
    ///
    /// - Parameters:
    ///   - user: The user of the app; the first connection registers the user if no person has the ID.
    ///   - pageSize: The number of messages in a timeline's page, 1...200.
    /// - Returns: The device.
    /// - Throws: The error of the system if the temporary folder cannot be written.
    public func device(of user: UserID, pageSize: Int = 40) throws -> TestDevice {
        let folder = try folders.make()
        let device = TestDevice(
            world.device(of: user, folder: folder.path, pageSize: pageSize), in: world, folder)
        state.withLock { $0.devices.append(device) }
        return device
    }

    /// The longest time for which a pass waits for what is on its way.
    private static let patience = Duration.seconds(600)

    /// Lets virtual time pass until nothing is on its way.
    ///
    /// Five seconds pass, and more while a frame or a request of a device has not arrived, at most
    /// ten minutes more. Nothing is on its way over a cut link.
    public func pass() async {
        await pass(.seconds(5))
        let end = now + Self.patience
        while now < end, !Task.isCancelled, isBusy { await pass(.milliseconds(50)) }
    }

    private var isBusy: Bool { state.withLock { $0.devices }.contains { $0.isBusy } }

    /// Lets virtual time pass.
    ///
    /// The server's timers run in this time and in that of a wait: it sends the scheduled messages
    /// that are due.
    public func pass(_ duration: Duration) async {
        await withTaskExecutorPreference(world.executor) { await world.passWithTimers(duration) }
    }

    /// Lets virtual time pass until a condition holds; it is evaluated every 50 ms.
    ///
    /// - Parameters:
    ///   - limit: The virtual time after which the wait fails.
    ///   - condition: Whether the wait is over.
    ///   - fileID: The file of the call, for the failure.
    ///   - line: The line of the call.
    /// - Throws: The error of the condition; `TestFailure` with the place of the call if the
    ///   condition does not hold within the limit.
    @MainActor
    public func wait(
        atMost limit: Duration = .seconds(60),
        until condition: @MainActor () async throws -> Bool,
        fileID: String = #fileID, line: Int = #line
    ) async throws {
        let end = now + limit
        while try await !condition() {
            guard now < end else {
                throw TestFailure(
                    "The condition at \(fileID):\(line) did not hold within \(limit) "
                        + "of virtual time.")
            }
            await pass(.milliseconds(50))
        }
    }

    /// Lets virtual time pass until the health of a client meets a condition, such as
    /// `world.wait(for: client) { $0.outbox.pending == 0 }`.
    ///
    /// The condition is evaluated at once and then every 50 ms. The health is the client's own
    /// knowledge: a frame on its way does not count. After a person's action, `await pass()` first.
    ///
    /// - Parameters:
    ///   - client: A client of this world.
    ///   - limit: The virtual time after which the wait fails.
    ///   - condition: Whether the wait is over.
    ///   - fileID: The file of the call, for the failure.
    ///   - line: The line of the call.
    /// - Returns: The health that met the condition.
    /// - Throws: `TestFailure` with the place of the call and the last health if the condition does
    ///   not hold within the limit.
    @MainActor
    @discardableResult
    public func wait(
        for client: ChatClient, atMost limit: Duration = .seconds(60),
        until condition: @MainActor (Health) -> Bool,
        fileID: String = #fileID, line: Int = #line
    ) async throws(TestFailure) -> Health {
        // While the stream has a reader, the figures of the cache are renewed.
        let states = await client.healthStates()
        defer { withExtendedLifetime(states) {} }
        let end = now + limit
        while true {
            let health = await client.presentHealth
            if condition(health) { return health }
            guard now < end else {
                throw TestFailure(
                    "The condition on the health did not hold within \(limit) at "
                        + "\(fileID):\(line). The last health: \(health)")
            }
            await pass(.milliseconds(50))
        }
    }

    /// Returns the messages that the server holds for a channel, oldest first, without deleted ones.
    ///
    /// - Throws: `TestFailure` if the server has no such channel.
    public func messages(in channel: ChannelURL) async throws -> [Message] {
        guard await world.hasChannel(channel) else {
            throw TestFailure("The server has no channel \(channel).")
        }
        return try await world.log(of: channel)
    }
}

/// A story that cannot go on, or an action that the server refused.
public struct TestFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause, in one sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}
