// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// A server in a process of its own, because the threads of this one are busy with other tests.
///
/// It ends with its last reference: `swift test` waits for all processes that a failed test leaves.
final class Server: Sendable {
    private let process: ChildProcess
    let port: Int

    init(
        _ folder: TemporaryFolder, port: Int = 0, certificates: TemporaryCertificates? = nil,
        chaos plan: String? = nil
    ) async throws {
        let faults = plan.map { ["--chaos", $0] } ?? []
        let secrets = certificates.map { ["--tls-cert", $0.certificate, "--tls-key", $0.key] }
        process = try ChildProcess(
            try ChildProcess.built("roost"),
            [
                "serve", "--data", folder.file("server"), "--port", "\(port)", "--app-id", "demo",
                "--api-token", "secret",
            ] + (secrets ?? []) + faults)
        let text = await process.text { $0.contains("listening") && $0.hasSuffix("\n") }
        guard text.contains("listening"), let address = text.firstMatch(of: /127\.0\.0\.1:(\d+)/),
            let port = Int(address.output.1)
        else { throw NotListening(output: text) }
        self.port = port
    }

    deinit { process.signal(SIGKILL) }

    /// Starts a server on a port of four digits.
    static func withShortPort(_ folder: TemporaryFolder) async throws -> Server {
        for _ in 0..<20 {
            // The server of a port in use ends at once.
            let port = Int.random(in: 2_000...9_999)
            if let server = try? await Server(folder, port: port) { return server }
        }
        throw NoPort()
    }

    private struct NotListening: Error {
        let output: String
    }

    private struct NoPort: Error {}

    func stop() async {
        process.signal(SIGTERM)
        _ = await process.end()
    }
}
