// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostStore
import RoostTestKit

// Events of devices, and the runs of the apps on them.

extension Simulation {
    func befall(_ action: Action, _ app: SimulatedApp) async throws {
        switch action {
        case .cutLink:
            note("\(app.name) link cut")
            await app.device.network.cut()
        case .restoreLink:
            note("\(app.name) link restored")
            app.device.network.restore()
        case .loseNetwork: call(app, "loses its network") { await $0.networkChanged(isUp: false) }
        case .findNetwork: call(app, "finds a network") { await $0.networkChanged(isUp: true) }
        case .leaveForeground:
            call(app, "goes to the background") { await $0.appMoved(toForeground: false) }
        case .enterForeground:
            call(app, "comes to the foreground") { await $0.appMoved(toForeground: true) }
        case .roughen:
            note("\(app.name) rough weather")
            app.device.network.weather = .rough
        case .slowDown:
            note("\(app.name) slow answers")
            app.device.network.weather = .sluggish
        case .calm:
            note("\(app.name) calm weather")
            app.device.network.weather = .calm
        case .relaunch:
            guard let client = app.client else { return }
            note("\(app.name) quits")
            app.isMoving = true
            await client.close()
            forget(app)
            app.isMoving = false
            try await start(app)
            if random.next() % 4 > 0 { connect(app) }
        case .crash: try await crash(app, after: 0)
        case .crashSoon: try await crash(app, after: 1 + pick(12))
        case .suspend: await suspend(app)
        case .wake: try await wake(app)
        case .fillDisk:
            note("\(app.name) disk full")
            app.disk.plan(.init(.write, nth: 1 + pick(20), code: Self.diskFull, lasts: true))
        case .freeDisk:
            note("\(app.name) disk has room")
            app.disk.plan(nil)
        case .moveClock:
            let hours = Int64(random.next() % 24) - 12
            note("\(app.name) clock off by \(hours) h")
            app.device.clockError.milliseconds = hours * 3_600_000 + Int64(random.next() % 1000)
        default: preconditionFailure("\(action) is no action on a device.")
        }
    }

    /// Cuts the link for a moment, with a message or an edit meanwhile and more during the return.
    ///
    /// Clients miss most changes in this way.
    func blink(_ app: SimulatedApp) async throws {
        guard app.device.network.isUp else { return }
        let channel = pick(of: app.timelines)?.collection.channel ?? channels[pick(channels.count)]
        note("\(app.name) link cut for a moment")
        await app.device.network.cut()
        // A client that knows of the loss connects at once on its end.
        call(app, "loses the network") { await $0.networkChanged(isUp: false) }
        for _ in 0...pick(2) { try await happen(in: channel, to: app) }
        await pass(.milliseconds(Int64(random.next() % 3_000)))
        app.device.network.restore()
        call(app, "finds a network") { await $0.networkChanged(isUp: true) }
        for _ in 0..<pick(4) {
            await pass(.milliseconds(Int64(pick(150))))
            try await happen(in: channel, to: app)
        }
    }

    private func happen(in channel: ChannelURL, to app: SimulatedApp) async throws {
        switch pick(9) {
        case 0, 1: try await performElsewhere(.sendElsewhere, in: channel)
        case 2, 3: try await performElsewhere(.editElsewhere, in: channel)
        case 4: try await performElsewhere(.deleteElsewhere, in: channel)
        case 5: try await performElsewhere(.rename, in: channel)
        // Reported completely, and of this user only: the rest of the channel is reported in other
        // ways.
        case 6: try await performElsewhere(.hide, in: channel, by: app.user)
        case 7: try await performElsewhere(.show, in: channel, by: app.user)
        default: try await performElsewhere(.react, in: channel)
        }
    }

    /// Makes the server refuse requests while it sends an event about which the client asks.
    func fallSilent(before app: SimulatedApp, _ leave: () async throws -> Void) async rethrows {
        let rate = app.device.network.weather.refusedRequest
        app.device.network.weather.refusedRequest = 1000
        try await leave()
        await pass(.milliseconds(Int64(100 + pick(200))))
        app.device.network.weather.refusedRequest = rate
    }

    /// Suspends an app: it releases its locks, and the system stops it between any two of its
    /// steps.
    private func suspend(_ app: SimulatedApp) async {
        guard let client = app.client else { return }
        note("\(app.name) is suspended")
        app.isMoving = true
        await client.suspend()
        app.isMoving = false
        app.process.stop(afterStoreSteps: 0)
        app.isSuspended = true
    }

    /// Resumes a suspended app, with all frames that came for it meanwhile.
    func wake(_ app: SimulatedApp) async throws {
        guard app.isSuspended, let client = app.launched?.client else { return }
        note("\(app.name) resumes")
        app.isSuspended = false
        app.health.restart()
        app.disk.plan(nil)
        // Time limits do not run during a suspension.
        for (number, call) in pendingCalls where call.app == app.number {
            pendingCalls[number]?.since = executor.now
        }
        app.answers = CallInvariants()
        followConnection(of: app)
        app.isMoving = true
        app.process.wake()
        _ = try await client.resume()
        app.isMoving = false
    }

    /// SQLite's code for a full disk, `SQLITE_FULL`.
    private static let diskFull: Int32 = 13

    /// Opens the app's files and reads them; the invariants hold before any connection.
    func start(_ app: SimulatedApp) async throws {
        // A full disk at an app's start is a case of the store's own tests.
        app.disk.plan(nil)
        app.process = SimulatedProcess(on: executor)
        app.run += 1
        (app.published, app.answers) = (nil, CallInvariants())
        app.isMoving = true
        let launched = try await world.start(app.device, app.process)
        app.launched = launched
        app.isMoving = false
        let store = launched.client.store
        app.mirror = try await mirror(of: store, app)
        note("\(app.name) started")
        try await checkCursors(of: app)
        let journal = await store.writer.journal(capacity: 1 << 20)
        Task(executorPreference: executor) { [index = app.number, run = app.run] in
            for await entry in journal { await self.take(entry, of: index, in: run) }
        }
        app.health.restart()
        let states = await launched.client.healthStates()
        Task(executorPreference: executor) { [index = app.number, run = app.run] in
            for await health in states { await self.take(health, of: index, in: run) }
        }
    }

    private func take(_ health: Health, of index: Int, in run: Int) {
        guard apps[index].run == run else { return }
        apps[index].published = health
        followConnection(of: apps[index])
    }

    private func followConnection(of app: SimulatedApp) {
        app.answers.follow(
            isConnected: app.published?.connection.state == .connected, at: executor.now)
    }

    private func take(_ entry: JournalEntry, of index: Int, in run: Int) {
        let app = apps[index]
        guard app.run == run, case .commit(let commit) = entry else { return }
        do throws(Violation) {
            try follow(commit, app)
        } catch {
            report(error)
        }
    }

    /// Ends the process between two steps of its databases; only the disk remains.
    private func crash(_ app: SimulatedApp, after steps: Int) async throws {
        guard let launched = app.launched, app.client != nil || app.isSuspended else { return }
        app.isSuspended = false
        note("\(app.name) crashes after \(steps) steps of its databases")
        app.process.stop(afterStoreSteps: steps)
        await pass(.milliseconds(Int64(random.next() % 1_500)))
        app.process.stop(afterStoreSteps: 0)
        app.isMoving = true
        forget(app)
        await launched.bury()
        crashed.append(launched.client)
        app.isMoving = false
        try await start(app)
        if random.next() % 4 > 0 { connect(app) }
    }

    private func forget(_ app: SimulatedApp) {
        app.run += 1
        app.launched = nil
        app.timelines = []
        app.lists = []
        app.downloads = []
        app.isSending = false
        app.isDrafting = false
    }

    func end(_ app: SimulatedApp) async {
        guard let client = app.client else { return }
        app.isMoving = true
        await client.close()
        forget(app)
        await pass(.seconds(30))
    }
}
