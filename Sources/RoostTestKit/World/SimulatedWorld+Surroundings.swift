// SPDX-License-Identifier: Apache-2.0

package import Roost

extension SimulatedWorld {
    /// What an app on a device has around it, for code that opens its clients itself.
    package func surroundings(of device: Device) -> World {
        let process = SimulatedProcess(on: executor)
        let line = SimulatedLine(over: device.network)
        return World(
            http: line, sockets: line, clock: executor,
            wallTime: { [executor, clockError = device.clockError] in
                Self.wallTime(executor, clockError)
            },
            entropy: { [random] in random.next() },
            executor: SimulatedLane(of: executor, process: process),
            storeExecutor: SimulatedLane(of: executor, process: process, isStore: true))
    }

    /// Runs something later, on the thread of the world.
    package func later(_ work: @escaping @Sendable () -> Void) {
        Task(executorPreference: executor) { work() }
    }
}
