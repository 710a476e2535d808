// SPDX-License-Identifier: Apache-2.0

import RoostServer

extension SimulatedWorld {
    /// Lets virtual time pass, and calls the server's timers at each whole second, as its host
    /// does.
    ///
    /// The server draws nothing if nothing is due. The loop runs on the executor of its task: a hop
    /// to the main actor in each second would take longer than the second's work.
    @concurrent
    func passWithTimers(_ duration: Duration) async {
        let end = executor.now + duration
        repeat {
            let second = Duration.seconds(executor.now.components.seconds + 1)
            do throws(CancellationError) {
                try await executor.sleep(for: min(second, end) - executor.now)
            } catch {
                return  // A cancelled test waits for nothing any more.
            }
            if executor.now >= second {
                await server.endExpired()
                await server.sendDue()
            }
        } while executor.now < end
    }
}
