// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostServer
import RoostSockets
import RoostTestSupport
import Testing

/// The store of a bucket whose server fails, lies or is slow.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct S3FailureTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
    }

    /// Expects an error, without a secret in it, and returns its sentences.
    private func refusal(
        _ call: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> String {
        do {
            try await call()
            Issue.record("the call succeeded", sourceLocation: sourceLocation)
            return ""
        } catch {
            let text = "\(error)"
            for secret in ["AKIDTEST", "hush-hush", "lent-token", "Signature="] {
                #expect(!text.contains(secret), sourceLocation: sourceLocation)
            }
            return text
        }
    }

    @Test(arguments: [(500, "InternalError"), (503, "SlowDown"), (429, "TooManyRequests")])
    func `a failure that passes is repeated after growing pauses`(
        status: Int, code: String
    ) async throws {
        let faulty = try await FaultyStore(
            FaultyBucket { _, count in count < 3 ? .error(status, code) : nil })
        try await faulty.write(Self.bytes(2_500), as: "a")
        #expect(faulty.bucket.files == ["a": Self.bytes(2_500)])
        #expect(faulty.pauses.value.prefix(2) == [.milliseconds(100), .milliseconds(300)])
        #expect(await faulty.store.counts.failures == 0)
        #expect(await faulty.store.counts.repeats == 6)
        await faulty.close()
    }

    @Test
    func `a failure that stays ends the call after five attempts, and nothing is kept`()
        async throws
    {
        let faulty = try await FaultyStore(
            FaultyBucket { name, _ in name == "PUT file" ? .error(500, "InternalError") : nil })
        let text = await refusal { try await faulty.write(Self.bytes(10), as: "a") }
        #expect(text.contains("fails (status 500, InternalError)"))
        #expect(faulty.bucket.names == Array(repeating: "PUT file", count: 5))
        #expect(try await faulty.store.file("a") == nil)
        // An attempt may have been carried out late, so the name is cleaned up.
        await faulty.store.drop("a")
        await faulty.store.settle()
        #expect(faulty.bucket.names.last == "DELETE file")
        #expect(await faulty.store.begunCount == 0)
        await faulty.close()
    }

    @Test
    func `an error behind the status 200 is a failure of the join`() async throws {
        for (code, attempts) in [("InternalError", 5), ("AccessDenied", 1)] {
            let faulty = try await FaultyStore(
                FaultyBucket { name, _ in name == "JOIN parts" ? .error(200, code) : nil })
            let text = await refusal { try await faulty.write(Self.bytes(1_500), as: "a") }
            #expect(text.contains(code))
            #expect(faulty.bucket.names.count { $0 == "JOIN parts" } == attempts)
            #expect(try await faulty.store.file("a") == nil)
            await faulty.store.drop("a")
            await faulty.store.settle()
            #expect(faulty.bucket.uploadCount == 0, "the parts are removed")
            await faulty.close()
        }
    }

    @Test func `a join whose answer was lost is recognised`() async throws {
        let faulty = try await FaultyStore(
            FaultyBucket { name, count in
                name == "JOIN parts" && count == 1 ? .lostAnswer : nil
            })
        try await faulty.write(Self.bytes(3_500), as: "a")
        #expect(faulty.bucket.files == ["a": Self.bytes(3_500)])
        #expect(faulty.bucket.names.suffix(3) == ["JOIN parts", "JOIN parts", "HEAD file"])
        await faulty.close()
    }

    @Test func `lost answers to files and parts are repeated without harm`() async throws {
        let faulty = try await FaultyStore(
            FaultyBucket { name, count in
                count == 1 && name != "HEAD file" ? .lostAnswer : nil
            })
        try await faulty.write(Self.bytes(900), as: "small")
        try await faulty.write(Self.bytes(3_500), as: "large")
        #expect(faulty.bucket.files == ["small": Self.bytes(900), "large": Self.bytes(3_500)])
        await faulty.close()
    }

    @Test(arguments: [nil, "", "\"\"", "<b>", "\"" + String(repeating: "a", count: 200) + "\""])
    func `a part without a plain tag is refused`(tag: String?) async throws {
        let faulty = try await FaultyStore(
            FaultyBucket { name, _ in name == "PUT part" ? .header("ETag", tag) : nil })
        let text = await refusal { try await faulty.write(Self.bytes(1_500), as: "a") }
        #expect(text.contains("does not answer as S3 does"))
        let again = await refusal { try await faulty.store.keep("a") }
        #expect(again == StorageError.notBegun.description)
        await faulty.close()
    }

    @Test func `a wrong tag fails at the join, and nothing is kept`() async throws {
        let faulty = try await FaultyStore(
            FaultyBucket { name, _ in name == "PUT part" ? .header("ETag", "\"other\"") : nil })
        let text = await refusal { try await faulty.write(Self.bytes(1_500), as: "a") }
        #expect(text.contains("InvalidPart"))
        #expect(faulty.bucket.files.isEmpty)
        await faulty.close()
    }

    @Test(arguments: ["", "<html></html>", "<InitiateMultipartUploadResult/>", "{}"])
    func `an answer of another server is recognised`(text: String) async throws {
        let faulty = try await FaultyStore(
            FaultyBucket { name, _ in name == "BEGIN parts" ? .answer(200, text) : nil })
        let words = await refusal { try await faulty.write(Self.bytes(1_500), as: "a") }
        #expect(words.contains("does not answer as S3 does"))
        #expect(faulty.bucket.names == ["BEGIN parts"])
        await faulty.close()
    }

    @Test func `a truncated body is read again`() async throws {
        let faulty = try await FaultyStore(
            FaultyBucket { name, count in name == "GET file" && count < 4 ? .cut : nil })
        faulty.bucket.put(Self.bytes(1_500), as: "a")
        #expect(
            try await faulty.store.read("a", 100..<1_200) == Array(Self.bytes(1_500)[100..<1_200]))
        #expect(faulty.bucket.names.count == 5)
        let broken = try await FaultyStore(FaultyBucket { _, _ in .cut })
        broken.bucket.put(Self.bytes(1_500), as: "a")
        let text = await refusal { _ = try await broken.store.read("a", 0..<10) }
        #expect(text.contains("cannot be reached"))
        for store in [faulty, broken] { await store.close() }
    }

    @Test func `a body without end is refused at once`() async throws {
        let faulty = try await FaultyStore(FaultyBucket { _, _ in .endless })
        faulty.bucket.put(Self.bytes(1_500), as: "a")
        let text = await refusal { _ = try await faulty.store.read("a", 0..<10) }
        #expect(text.contains("answers with more than"))
        _ = await refusal { try await faulty.write(Self.bytes(1_500), as: "b") }
        #expect(faulty.bucket.names == ["GET file", "BEGIN parts"])
        await faulty.close()
    }

    @Test(arguments: [
        nil, "bytes 0-999/", "bytes 1-1000/1500", "bytes 0-998/1500", "bytes 0-1499/1500",
        "bytes 0-999/500", "bytes 5-2/1500", "bytes 0-999999999999999999999/1500", "0-999/1500",
    ])
    func `a stretch that was not asked for is refused`(range: String?) async throws {
        let faulty = try await FaultyStore(FaultyBucket { _, _ in .header("Content-Range", range) })
        faulty.bucket.put(Self.bytes(1_500), as: "a")
        let text = await refusal { _ = try await faulty.store.read("a", 0..<10) }
        #expect(text.contains("does not answer as S3 does"))
        await faulty.close()
    }

    @Test func `a file is missing only if S3 says so in words`() async throws {
        // As a proxy does whose S3 server is away.
        let faulty = try await FaultyStore(
            FaultyBucket { _, _ in .answer(404, "404 page not found") })
        _ = await refusal { _ = try await faulty.store.file("a") }
        #expect(faulty.bucket.names == ["HEAD file", "GET file"])
        let away = try await FaultyStore(FaultyBucket { _, _ in .error(404, "NoSuchBucket") })
        _ = await refusal { _ = try await away.store.file("a") }
        let true404 = try await FaultyStore()
        #expect(try await true404.store.file("a") == nil)
        #expect(await true404.store.counts.isAway == false)
        for store in [faulty, away, true404] { await store.close() }
    }

    @Test func `an answer beyond the time limit is given up`() async throws {
        let gate = Gate()
        let faulty = try await FaultyStore(FaultyBucket { _, _ in .wait(gate) }) {
            $0.attemptTime = .milliseconds(30)
            $0.attempts = 3
        }
        let text = await refusal { _ = try await faulty.store.file("a") }
        #expect(text.contains("did not answer in time"))
        #expect(faulty.bucket.names.count == 3)
        gate.open()
        await faulty.close()
    }

    @Test func `a call without time left is not begun`() async throws {
        let faulty = try await FaultyStore { $0.callTime = .zero }
        let text = await refusal { _ = try await faulty.store.file("a") }
        #expect(text.contains("too slow"))
        #expect(faulty.bucket.names.isEmpty)
        await faulty.close()
    }

    @Test(arguments: [
        (403, "InvalidAccessKeyId", "correct the variable AWS_ACCESS_KEY_ID"),
        (403, "SignatureDoesNotMatch", "correct the variable AWS_SECRET_ACCESS_KEY"),
        (400, "ExpiredToken", "renew AWS_SESSION_TOKEN"),
        (403, "AccessDenied", "give the key the rights"), (404, "NoSuchBucket", "create it"),
        (403, "RequestTimeTooSkewed", "clocks"),
        (400, "AuthorizationHeaderMalformed", "AWS_REGION"), (301, "PermanentRedirect", "region"),
        (301, "", "AWS_ENDPOINT_URL"), (400, "Odd", "speaks S3"),
        (503, "ServiceUnavailable", "try again later"),
        (403, "a\u{1B}[31m", "(status 403)"), (200, "Odd", "speaks S3"),
    ])
    func `a refused check says what to do`(
        status: Int, code: String, words: String
    ) async throws {
        let faulty = try await FaultyStore(FaultyBucket { _, _ in .error(status, code) })
        let text = await refusal { try await faulty.store.check() }
        #expect(text.contains(words), "\(text)")
        #expect(!text.contains("\u{1B}"))
        await faulty.close()
    }

    @Test func `a check of a server that is away names it`() async throws {
        let port = try FreePort.next()
        let faulty = try await FaultyStore { $0.endpoint = "http://127.0.0.1:\(port)" }
        let text = await refusal { try await faulty.store.check() }
        #expect(text.contains("127.0.0.1:\(port)"))
        #expect(text.contains("cannot be reached"))
        await faulty.close()
    }

    @Test func `an outage is logged once, and so is its end`() async throws {
        let faulty = try await FaultyStore(
            FaultyBucket { name, count in
                name == "HEAD file" && count <= 15 ? .error(500, "InternalError") : nil
            })
        for _ in 0..<3 {
            _ = await refusal { _ = try await faulty.store.file("a") }
            #expect(await faulty.store.counts.isAway)
        }
        #expect(faulty.lines.value.map(\.level) == [.error])
        #expect(try await faulty.store.file("a") == nil)
        #expect(faulty.lines.value.map(\.level) == [.error, .warning])
        #expect(await faulty.store.counts.isAway == false)
        await faulty.close()
    }
}
