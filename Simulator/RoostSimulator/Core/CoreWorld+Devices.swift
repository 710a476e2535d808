// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit

// Events of devices, and the runs of the apps on them.

extension CoreWorld {
    func befall(_ action: Action, _ device: CoreDevice) {
        note("\(device.name) \(action)")
        switch action {
        case .loseNetwork, .findNetwork, .leaveForeground, .enterForeground:
            guard device.canAct else { return }
        default: break
        }
        switch action {
        case .cutLink: cut(device)
        case .restoreLink: device.isLinkUp = true
        case .loseNetwork: give(.link(.networkChanged(isUp: false)), device)
        case .findNetwork: give(.link(.networkChanged(isUp: true)), device)
        case .leaveForeground: give(.link(.appMoved(toForeground: false)), device)
        case .enterForeground: give(.link(.appMoved(toForeground: true)), device)
        case .roughen: device.weather = .rough
        case .slowDown: device.weather = .sluggish
        case .calm: device.weather = .calm
        case .relaunch, .crash: crash(device)
        case .crashSoon: device.eventsToCrash = 1 + random.pick(30)
        case .suspend: device.isSuspended = device.isOpen
        case .wake: wake(device)
        case .fillDisk: device.isDiskFull = true
        case .freeDisk: device.isDiskFull = false
        case .moveClock:
            let hours = Int64(random.next() % 24) - 12
            device.clockError = hours * 3_600_000 + Int64(random.next() % 1000)
        default: preconditionFailure("\(action) is no action on a device.")
        }
    }

    /// Resumes a suspended process, with all events that came for it meanwhile.
    func wake(_ device: CoreDevice) {
        guard device.isSuspended else { return }
        device.isSuspended = false
        device.health.restart()
        device.answers = CallInvariants()
        let events = device.held
        device.held = []
        for event in events { schedule(event, device) }
        // Time limits do not run during a suspension.
        for id in device.calls.keys { device.calls[id]?.since = now }
    }

    /// Ends the process between two events; only the disk remains.
    func crash(_ device: CoreDevice) {
        guard device.isRunning else { return }
        device.isRunning = false
        device.health.restart()
        note("\(device.name) crashes")
        let connection = device.connection
        device.connection = nil
        if let connection { server.disconnect(connection.number) }
        device.run += 1
        device.isOpen = false
        device.isSuspended = false
        device.held = []
        device.eventsToCrash = nil
        device.unreportedCommits = 0
        device.timers = [:]
        device.pauses = [:]
        device.limits = [:]
        device.calls = [:]
        device.answers = CallInvariants()
        device.isSending = false
        device.isDrafting = false
        device.timelines = [:]
        device.lists = [:]
        device.downloads = [:]
        device.machine = SyncMachine(
            SyncState(me: device.user, random: SeededRandom(1, 0, 0, 0)))
        schedule(
            .restart(connects: random.next() % 4 > 0), device,
            after: .milliseconds(Int64(random.next() % 1_500)))
    }

    /// Starts the process of an app.
    func start(_ device: CoreDevice, connects: Bool) {
        // A full disk at an app's start is a case of the store's own tests.
        device.isDiskFull = false
        device.isRunning = true
        device.outbox.restart()
        device.deleted.beginProcess()
        device.machine = SyncMachine(
            SyncState(
                me: device.user,
                random: SeededRandom(
                    random.next(), random.next(), random.next(), random.next())))
        note("\(device.name) started")
        call(
            "open the outbox",
            .outbox(.loading(OutboxLoading(of: User(id: device.user), files: nil))), device,
            then: .started(connects: connects))
        // The figures of the cache are read for half of the devices.
        if device.number % 2 == 0 { give(.healthReading(isBeginning: true), device) }
    }
}
