// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCluster
import RoostModel
import RoostPostgres
import RoostServer
import RoostSockets
import RoostTestSupport
import Testing

@testable import RoostHost

/// Uploads and downloads of servers with one database and one bucket.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ClusterFilesTests {
    /// Servers on one database, and a client of theirs.
    private struct Scene {
        let hosts: [ChatHost]
        private let loop: EventLoop
        private let client: HTTPClient

        init(_ count: Int, _ settings: S3Settings) async throws {
            let database = try await PostgresServer.shared()
            loop = try EventLoop.start()
            client = HTTPClient(on: loop)
            let schema = PostgresServer.schemaName()
            var place = PostgresConfiguration(database.address)
            place.schema = schema
            try await PostgresPool.lend(place) { pool throws(PostgresError) in
                try await PostgresMigrator(pool).migrate { _ in }
            }
            var configuration = ChatHost.Configuration(dataFolder: "", applicationID: "APP")
            configuration.apiToken = "token"
            var cluster = ChatHost.Configuration.Cluster(database: database.address)
            cluster.schema = schema
            cluster.sessions = 2
            cluster.files = .bucket(settings)
            configuration.cluster = cluster
            var hosts: [ChatHost] = []
            for _ in 0..<count { hosts.append(try await ChatHost.start(configuration)) }
            self.hosts = hosts
        }

        func ask(
            _ host: Int, _ target: String, method: String = "GET", body: [UInt8]? = nil,
            headers: HTTPHeaders = [:]
        ) async throws -> HTTPClientResponse {
            var headers = headers
            headers.append("Api-Token", "token")
            if body != nil {
                headers.append("Content-Type", "multipart/form-data; boundary=B")
            }
            return try await client.send(
                HTTPClientRequest(
                    method: method, url: "http://127.0.0.1:\(hosts[host].port)\(target)",
                    headers: headers, body: body.map { .bytes($0) } ?? .none,
                    timeLimit: .seconds(600), answerBytes: 32_000_000))
        }

        /// Uploads a file to a server.
        func upload(_ bytes: [UInt8], to host: Int) async throws -> HTTPClientResponse {
            let start =
                "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n"
                + "Content-Type: application/x-test\r\n\r\n"
            return try await ask(
                host, "/v3/storage/file", method: "POST",
                body: Array(start.utf8) + bytes + Array("\r\n--B--\r\n".utf8))
        }

        func close() async {
            for host in hosts { await host.stop() }
            await loop.shutdown()
        }
    }

    /// Returns the path in the answer to an upload.
    private func path(_ answer: HTTPClientResponse) throws -> String {
        let text = String(decoding: answer.body, as: UTF8.self)
        let start = try #require(text.firstRange(of: "/files/")).lowerBound
        return String(text[start...].prefix { $0 != "\"" })
    }

    @Test func `a file that one server took is read at another, whole and in ranges`()
        async throws
    {
        let scene = try await Scene(2, try S3Settings(of: try await ObjectServer.shared()))
        for count in [0, 5, 6_000_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            let answer = try await scene.upload(bytes, to: 0)
            #expect(answer.status == 200)
            let path = try path(answer)
            let whole = try await scene.ask(1, path)
            #expect(whole.status == 200)
            #expect(whole.headers["Content-Type"] == "application/x-test")
            #expect(whole.body == bytes)
            guard count > 5 else { continue }
            let range = try await scene.ask(
                1, path, headers: ["Range": "bytes=1048570-2097159"])
            #expect(range.status == 206)
            #expect(range.body == Array(bytes[1_048_570...2_097_159]))
        }
        let missing = try await scene.ask(1, "/files/\(String(repeating: "a", count: 40))/x")
        #expect(missing.status == 404)
        let metrics = String(decoding: try await scene.ask(0, "/metrics").body, as: UTF8.self)
        #expect(metrics.contains("\nroost_files_up 1\n"))
        await scene.close()
    }

    @Test func `begun uploads of a server that has died leave a shared folder after a day`()
        async throws
    {
        let folder = try TemporaryFolder()
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        for (name, age) in [("old.part", 90_000), ("young.part", 80_000), ("kept", 90_000)] {
            let path = folder.file(name)
            try #require(FileManager.default.createFile(atPath: path, contents: Data()))
            let date = Date(timeIntervalSince1970: Double(1_800_000_000 - age))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        let files = try await ClusterFiles.open(
            .folder(folder.path), fileLimitMB: 1, time: { now }, LogWriter(from: nil))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["young.part", "kept"])
        await files.close()
    }

    @Test func `a bucket that goes away refuses uploads and downloads until it is back`()
        async throws
    {
        let relay = try CuttingRelay(to: try await ObjectServer.shared().port)
        var settings = try S3Settings(of: try await ObjectServer.shared())
        settings.endpoint = "http://127.0.0.1:\(relay.port)"
        settings.attempts = 2
        let scene = try await Scene(1, settings)
        let path = try path(try await scene.upload([1, 2, 3], to: 0))
        relay.kill()
        #expect(try await scene.upload([4, 5, 6], to: 0).status >= 500)
        // Its size is known, so the head is sent, and the connection is cut where bytes are missing.
        await #expect(throws: SocketError.self) { try await scene.ask(0, path) }
        let missing = try await scene.ask(0, "/files/\(String(repeating: "b", count: 40))/x")
        #expect(missing.status == 503)
        let metrics = String(decoding: try await scene.ask(0, "/metrics").body, as: UTF8.self)
        #expect(metrics.contains("\nroost_files_up 0\n"))
        #expect(try await scene.ask(0, "/health").status == 200)
        relay.revive()
        #expect(try await scene.ask(0, path).body == [1, 2, 3])
        #expect(try await scene.upload([4, 5, 6], to: 0).status == 200)
        await scene.close()
    }
}
