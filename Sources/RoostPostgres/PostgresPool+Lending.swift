// SPDX-License-Identifier: Apache-2.0

internal import RoostSockets

extension PostgresPool {
    /// Runs work on a pool of its own, for a program without an event loop; closes it afterwards.
    ///
    /// - Throws: The error of the work; `.closed` if the system has no descriptors for the loop.
    package static func lend<T: Sendable>(
        _ configuration: PostgresConfiguration,
        to work: (PostgresPool) async throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        let loop: EventLoop
        do throws(SocketError) {
            loop = try EventLoop.start()
        } catch {
            throw PostgresError(.closed, error.message)
        }
        let pool = PostgresPool(configuration, on: loop)
        let result: Result<T, PostgresError>
        do throws(PostgresError) {
            result = .success(try await work(pool))
        } catch {
            result = .failure(error)
        }
        await pool.close()
        await loop.shutdown()
        return try result.get()
    }
}
