// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostSealing
package import RoostTransport

/// A client's access to network, time, randomness, threads and the protection of files; a test
/// replaces all of it at once.
package struct World: Sendable {
    package var http: any HTTPTransport
    package var sockets: any SocketTransport
    package var clock: any WorldClock
    /// The device's clock, for the age of local data only, never for order.
    package var wallTime: @Sendable () -> Timestamp
    package var entropy: @Sendable () -> UInt64
    /// The executor of the client's actors and tasks.
    package var executor: any WorldExecutor
    /// The executor of the database connections; nil gives each connection a thread of its own.
    package var storeExecutor: (any WorldExecutor)?
    /// The executor of a call to the server in a task that prefers none, as an unstructured task of
    /// an app does; nil leaves such a call to the shared pool.
    package var callExecutor: (any TaskExecutor)?
    /// The setter of the store's protection class.
    package var fileProtector: any FileProtector = SystemFileProtector()

    package init(
        http: any HTTPTransport, sockets: any SocketTransport, clock: any WorldClock,
        wallTime: @escaping @Sendable () -> Timestamp,
        entropy: @escaping @Sendable () -> UInt64, executor: any WorldExecutor,
        storeExecutor: (any WorldExecutor)? = nil, callExecutor: (any TaskExecutor)? = nil
    ) {
        self.http = http
        self.sockets = sockets
        self.clock = clock
        self.wallTime = wallTime
        self.entropy = entropy
        self.executor = executor
        self.storeExecutor = storeExecutor
        self.callExecutor = callExecutor
    }
}
