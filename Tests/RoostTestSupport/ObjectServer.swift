// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// An S3 server of the tests, in memory, which checks signatures, bodies and rights, and ends with the
/// process.
package final class ObjectServer: Sendable {
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// A key with its secret.
    package struct Key: Sendable {
        package let id: String
        package let secret: String
    }

    package static let bucket = "chat-files"
    /// The prefix below which the first key has rights.
    package static let prefix = "roost"

    private let process: ChildProcess
    private let folder: TemporaryFolder
    /// The writing end of the server's input; the server ends with it.
    private let lifeline: Int32
    package let port: UInt16
    /// The key with the rights that `docs/cluster.md` names.
    package let key: Key
    /// A key without rights.
    package let stranger: Key

    package var address: String { "http://127.0.0.1:\(port)" }

    /// Starts a server with one empty bucket.
    ///
    /// - Throws: A sentence, such as for a machine without moto.
    package init() async throws {
        let python = Self.folder + "/bin/python"
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Missing(description: "moto is not installed: run scripts/setup --cluster.")
        }
        let folder = try TemporaryFolder()
        let policy = folder.file("policy")
        try Self.policy().write(toFile: policy, atomically: true, encoding: .utf8)
        let pipe = folder.file("lifeline")
        // Opened for both directions, so that neither process waits for the other.
        // SAFETY: the name is a C string during the calls.
        let lifeline =
            unsafe mkfifo(pipe, 0o600) == 0 ? unsafe open(pipe, O_RDWR | O_CLOEXEC) : -1
        guard lifeline >= 0 else { throw Missing(description: "No pipe for the S3 server.") }
        let script = Self.root.appending(path: "Tests/ObjectStore/serve.py").path
        process = try ChildProcess(
            python, [script, policy], input: pipe, errors: folder.file("log"))
        (self.folder, self.lifeline) = (folder, lifeline)
        let words = await process.text { $0.contains("\n") }.split { $0.isWhitespace }
            .map(String.init)
        guard words.count == 6, words[0] == "ready", let port = UInt16(words[1]) else {
            close(lifeline)
            let log = try String(contentsOfFile: folder.file("log"), encoding: .utf8)
            throw Missing(description: "The S3 server did not start. \(log)")
        }
        self.port = port
        key = Key(id: words[2], secret: words[3])
        stranger = Key(id: words[4], secret: words[5])
    }

    deinit { close(lifeline) }

    /// The one that the tests share; each takes names of its own.
    package static func shared() async throws -> ObjectServer { try await common.value }

    private static let common = Task { try await ObjectServer() }

    /// The environment for a server process that uses the bucket.
    package var environment: [String: String] {
        [
            "AWS_ACCESS_KEY_ID": key.id, "AWS_SECRET_ACCESS_KEY": key.secret,
            "AWS_ENDPOINT_URL": address, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "us-east-1",
            "AWS_SESSION_TOKEN": "", "AWS_CA_BUNDLE": "",
        ]
    }

    /// The folder into which `scripts/setup --cluster` installs moto.
    private static var folder: String {
        let environment = ProcessInfo.processInfo.environment
        let cache = environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        return (cache ?? NSHomeDirectory() + "/.cache") + "/roost/moto"
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the rights that the documentation names, so that the tests prove that they suffice.
    private static func policy() throws -> String {
        let page = try String(contentsOf: root.appending(path: "docs/cluster.md"), encoding: .utf8)
        guard let start = page.firstRange(of: "```json\n"),
            let end = page[start.upperBound...].firstRange(of: "```")
        else { throw Missing(description: "docs/cluster.md names no rights of the bucket's key.") }
        return String(page[start.upperBound..<end.lowerBound])
    }
}
