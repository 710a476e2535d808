// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostModel
package import RoostTransport

extension SimulatedWorld {
    /// Returns the surroundings of an app on a device, for code that opens its clients itself.
    package func surroundings(of device: Device) -> World {
        let line = SimulatedLine(over: device.network)
        return surroundings(of: device, SimulatedProcess(on: executor), line, http: line)
    }

    /// Returns the surroundings of an app that runs as a process.
    package func surroundings(
        of device: Device, _ process: SimulatedProcess, _ line: SimulatedLine,
        http: any HTTPTransport
    ) -> World {
        World(
            http: http, sockets: line, clock: executor,
            wallTime: { [executor, clockError = device.clockError] in
                Self.wallTime(executor, clockError)
            },
            entropy: { [random] in random.next() },
            executor: SimulatedLane(of: executor, process: process),
            storeExecutor: SimulatedLane(of: executor, process: process, isStore: true),
            callExecutor: executor)
    }

    /// Runs a closure later, on the thread of the world.
    package func later(_ work: @escaping @Sendable () -> Void) {
        Task(executorPreference: executor) { work() }
    }
}
