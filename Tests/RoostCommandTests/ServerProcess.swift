// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// A server process with its address, which a failed test ends with its last reference.
final class ServerProcess: Sendable {
    private let process: ChildProcess
    let address: String

    init(_ program: Program) async throws {
        process = try ChildProcess(
            try ChildProcess.built("roost"),
            [
                "serve", "--data", program.path("server"), "--port", "0", "--app-id", "demo",
                "--api-token", "t",
            ])
        let text = await process.text {
            $0.contains("listening on http://") && $0.contains(" and ")
        }
        address = String(
            try #require(text.split(separator: " ").first { $0.hasPrefix("http://") }))
    }

    deinit { process.signal(SIGKILL) }

    func stop() async {
        process.signal(SIGTERM)
        _ = await process.end()
    }
}
