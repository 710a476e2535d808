// SPDX-License-Identifier: Apache-2.0

public import Roost
import RoostDiskSimulation
import RoostModel
import Synchronization

/// A user's device in a test world: a link, a disk, and the app that runs on it.
///
/// The disk outlives the app: a client that is launched later finds the cache and the unsent
/// messages of the earlier one.
public final class TestDevice: Sendable {
    /// The code of SQLite for a full disk, `SQLITE_FULL`.
    private static let diskFull: Int32 = 13

    private let device: SimulatedWorld.Device
    private let world: SimulatedWorld
    private let folder: TestFolder
    private let disk: SimulatedDisk
    private let launched = Mutex<[SimulatedWorld.Launched]>([])

    init(_ device: SimulatedWorld.Device, in world: SimulatedWorld, _ folder: TestFolder) {
        self.device = device
        self.world = world
        self.folder = folder
        disk = SimulatedDisk(folder.path)
    }

    /// The user of the app.
    public var userID: UserID { device.userID }

    // MARK: The app

    /// Starts the app on the device's disk.
    ///
    /// A second device of a person's ID is a whole client of that person, who can then do what
    /// `TestPerson` cannot, such as send a file.
    ///
    /// - Parameter configure: Changes the client's settings, such as the source of tokens, the
    ///   encryption or the limits. The server, the user and the folder are the device's.
    /// - Returns: The client of the app, which is not connected yet.
    /// - Throws: The error of `ChatClient.open`, such as a full disk.
    public func launch(
        _ configure: (inout Configuration) -> Void = { _ in }
    ) async throws(RoostError) -> ChatClient {
        let next = try await world.start(
            device, SimulatedProcess(on: world.executor), configure: configure)
        launched.withLock { $0.append(next) }
        return next.client
    }

    /// Ends the app at once, as a crash does; unfinished calls of its clients end with an error.
    ///
    /// Only commits on the disk stay. `ChatClient.close()` ends an app in order.
    public func crash() async {
        let clients = launched.withLock { clients in
            defer { clients = [] }
            return clients
        }
        for client in clients { client.process.stop(afterStoreSteps: 0) }
        for client in clients {
            await client.bury()
            await client.client.close()
        }
    }

    /// Closes the clients; the files go with the device.
    func end() async {
        disk.plan(nil)
        let clients = launched.withLock { clients in
            defer { clients = [] }
            return clients
        }
        for client in clients { await client.client.close() }
        folder.remove()
    }

    // MARK: The link

    /// Cuts the link: frames and requests on their way are lost in both directions.
    public func cutLink() async { await device.network.cut() }

    /// Restores the link; the client connects again by itself.
    public func restoreLink() { device.network.restore() }

    /// Sets the time that each frame and each half of a request takes; nil draws 2 to 60 milliseconds.
    ///
    /// Frames of one direction arrive one after the other: the time of a frame begins when the
    /// frame before it has arrived. With three seconds, the last of ten frames comes after thirty.
    ///
    /// A request whose two halves take longer than the client's limit fails, as it does on a slow network.
    public func setDelay(_ delay: Duration?) { device.network.setDelay(delay) }

    /// Lets a fault happen at the next opportunities; ``remaining(_:)`` says whether it has.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - count: The number of frames or requests that it meets, 0 or more; replaces the number that is left.
    public func inject(_ fault: TestFault, times count: Int = 1) {
        precondition(count >= 0, "A fault happens 0 times or more, not \(count) times.")
        device.network.request(fault.rate, times: UInt64(count))
    }

    /// Returns how often an injected fault has not happened yet.
    ///
    /// A fault without an opportunity waits, and a story without it proves little:
    /// `#expect(phone.remaining(.lostAcknowledgement) == 0)` shows that it happened.
    public func remaining(_ fault: TestFault) -> Int {
        Int(clamping: device.network.remaining(fault.rate))
    }

    /// Whether a frame or a request of the device is on its way.
    var isBusy: Bool { device.network.isBusy }

    /// The number of requests by HTTP that the device has made.
    public var requestCount: Int { device.network.requestCount }

    // MARK: The disk

    /// Lets each write to the databases of the app fail, as a full disk does.
    ///
    /// Files beside the databases are not met: a download and the copy of a file to be sent succeed.
    public func fillDisk() { disk.plan(.init(.write, code: Self.diskFull, lasts: true)) }

    /// Lets writes to the databases succeed again.
    public func freeDisk() { disk.plan(nil) }
}
