// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostServer
import RoostSockets
import RoostTestSupport
import Testing

/// The bounds and the order of the calls to a bucket that works.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct S3FileStoreTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
    }

    @Test(arguments: [
        (0, ["PUT file"]), (1_000, ["PUT file"]),
        (1_001, ["BEGIN parts", "PUT part", "PUT part", "JOIN parts"]),
        (2_000, ["BEGIN parts", "PUT part", "PUT part", "JOIN parts"]),
        (2_001, ["BEGIN parts", "PUT part", "PUT part", "PUT part", "JOIN parts"]),
    ])
    func `a file is sent in as few calls as its size allows`(
        count: Int, names: [String]
    ) async throws {
        let faulty = try await FaultyStore()
        try await faulty.write(Self.bytes(count), as: "a", pieces: 700)
        #expect(faulty.bucket.names == names)
        #expect(faulty.bucket.files == ["a": Self.bytes(count)])
        // Known from the upload.
        #expect(
            try await faulty.store.file("a") == StoredFile(type: "text/plain", byteCount: count))
        #expect(faulty.bucket.names == names)
        #expect(try await faulty.store.read("a", 0..<count) == Self.bytes(count))
        await faulty.close()
    }

    @Test func `a large part is sent in pieces and arrives whole`() async throws {
        let faulty = try await FaultyStore {
            $0.partBytes = 700_000
            $0.blockBytes = 1_000_000
        }
        try await faulty.write(Self.bytes(2_000_000), as: "a", pieces: 65_536)
        #expect(faulty.bucket.files == ["a": Self.bytes(2_000_000)])
        await faulty.close()
    }

    @Test func `every call carries its place, its hash, its time and the lent token`() async throws
    {
        let faulty = try await FaultyStore()
        try await faulty.write(Self.bytes(10), as: "a")
        let call = try #require(faulty.bucket.calls.first)
        #expect(call.target == "/base/files/roost/a")
        #expect(call.headers["X-Amz-Date"] == "20130524T000000Z")
        #expect(call.headers["X-Amz-Security-Token"] == "lent-token")
        #expect(
            call.headers["X-Amz-Content-Sha256"] == Digest.hex(Digest.sha256(Self.bytes(10))))
        #expect(
            call.headers["Authorization"]?.contains(
                "SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;"
                    + "x-amz-security-token, ") == true)
        await faulty.close()
    }

    @Test func `small reads of a file share its blocks`() async throws {
        let faulty = try await FaultyStore { $0.blockLimit = 2 }
        faulty.bucket.put(Self.bytes(2_500), as: "a")
        for start in stride(from: 0, to: 2_500, by: 100) {
            let piece = try await faulty.store.read("a", start..<(start + 100))
            #expect(piece == Array(Self.bytes(2_500)[start..<(start + 100)]))
        }
        #expect(faulty.bucket.names.count == 3)
        // The first block made room for the third.
        _ = try await faulty.store.read("a", 0..<1)
        #expect(faulty.bucket.names.count == 4)
        #expect(try await faulty.store.read("a", 2_400..<9_000).count == 100)
        #expect(try await faulty.store.read("a", 5_000..<9_000).isEmpty)
        #expect(try await faulty.store.read("a", (.max - 1)..<(.max)).isEmpty)
        await faulty.close()
    }

    @Test func `simultaneous readers of a block share one call`() async throws {
        let gate = Gate()
        let faulty = try await FaultyStore(
            FaultyBucket { name, count in count == 1 ? .wait(gate) : nil })
        faulty.bucket.put(Self.bytes(900), as: "a")
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for start in 0..<20 {
                group.addTask { try await faulty.store.read("a", start..<(start + 10)) }
            }
            await faulty.bucket.arrivals.wait(for: 1)
            gate.open()
            for try await piece in group { #expect(piece.count == 10) }
        }
        #expect(faulty.bucket.names == ["GET file"])
        await faulty.close()
    }

    @Test func `a block of a removed file is forgotten`() async throws {
        let faulty = try await FaultyStore()
        try await faulty.write(Self.bytes(10), as: "a")
        #expect(try await faulty.store.read("a", 0..<4).count == 4)
        await faulty.store.remove("a")
        #expect(try await faulty.store.file("a") == nil)
        await #expect(throws: StorageError.self) { try await faulty.store.read("a", 0..<4) }
        await faulty.close()
    }

    @Test func `calls beyond the bound wait, and some more are refused`() async throws {
        let gate = Gate()
        let faulty = try await FaultyStore(FaultyBucket { _, _ in .wait(gate) }) {
            $0.callLimit = 2
            $0.waitLimit = 3
        }
        let store = faulty.store
        let ends = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<9 {
                group.addTask { (try? await store.file("\(number)")) != nil }
            }
            var ends: [Bool] = []
            // Those beyond both bounds end before any answer.
            for _ in 0..<4 { if let end = await group.next() { ends.append(end) } }
            #expect(ends == [false, false, false, false])
            gate.open()
            for await end in group { ends.append(end) }
            return ends
        }
        #expect(ends.count == 9)
        #expect(faulty.bucket.names.count { $0 == "HEAD file" } == 5)
        #expect(faulty.bucket.mostRunning <= 2)
        await faulty.close()
    }

    @Test func `a call that waits for a place ends with its time, or with its caller`()
        async throws
    {
        for isCancelled in [false, true] {
            let gate = Gate()
            let faulty = try await FaultyStore(
                FaultyBucket { name, _ in name == "PUT file" ? .wait(gate) : nil }
            ) {
                $0.callLimit = 1
                $0.callTime = isCancelled ? .seconds(3_600) : .milliseconds(100)
                $0.transferTime = .seconds(3_600)
                $0.attemptTime = .seconds(3_600)
            }
            let store = faulty.store
            try await store.begin("a", type: "text/plain")
            try await store.append([1, 2, 3], to: "a")
            let keep = Task { try await store.keep("a") }
            await faulty.bucket.arrivals.wait(for: 1)
            // The only place stays taken until the gate opens.
            let reads = (0..<3).map { number in
                Task { try await store.file("\(number)") }
            }
            for read in reads {
                if isCancelled { read.cancel() }
                await #expect(throws: StorageError.self) { try await read.value }
            }
            #expect(faulty.bucket.names == ["PUT file"])
            gate.open()
            try await keep.value
            // The place is free again.
            if isCancelled { #expect(try await store.file("b") == nil) }
            await faulty.close()
        }
    }

    @Test func `reads of unknown names leave a share of the calls to writes`() async throws {
        let gate = Gate()
        let faulty = try await FaultyStore(
            FaultyBucket { name, _ in name == "HEAD file" ? .wait(gate) : nil }
        ) {
            $0.callLimit = 4
            $0.waitLimit = 8
        }
        let store = faulty.store
        async let reads: Void = withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { _ = try? await store.file("\(number)") }
            }
        }
        await faulty.bucket.arrivals.wait(for: 3)
        try await faulty.write(Self.bytes(10), as: "kept")
        #expect(faulty.bucket.files == ["kept": Self.bytes(10)])
        #expect(faulty.bucket.names.count { $0 == "HEAD file" } == 3)
        gate.open()
        await reads
        #expect(faulty.bucket.mostRunning <= 4)
        await faulty.close()
    }

    @Test func `a name without a file is remembered until newer ones take its place`()
        async throws
    {
        let faulty = try await FaultyStore {
            $0.missingTime = .seconds(3_600)
            $0.missingLimit = 2
        }
        for _ in 0..<3 { #expect(try await faulty.store.file("a") == nil) }
        #expect(faulty.bucket.names == ["HEAD file", "GET file"])
        for name in ["b", "c", "a"] { #expect(try await faulty.store.file(name) == nil) }
        #expect(faulty.bucket.names.count == 8)
        try await faulty.write(Self.bytes(10), as: "a")
        #expect(try await faulty.store.file("a")?.byteCount == 10)
        await faulty.close()
    }

    @Test func `a name without a file is looked up again after its time`() async throws {
        let faulty = try await FaultyStore { $0.missingTime = .zero }
        #expect(try await faulty.store.file("a") == nil)
        faulty.bucket.put(Self.bytes(10), as: "a")
        #expect(try await faulty.store.file("a")?.byteCount == 10)
        await faulty.close()
    }

    @Test func `uploads beyond the bound are refused until one ends`() async throws {
        let faulty = try await FaultyStore { $0.uploadLimit = 2 }
        let store = faulty.store
        try await store.begin("a", type: "text/plain")
        try await store.begin("b", type: "text/plain")
        await #expect(throws: StorageError.self) { try await store.begin("c", type: "text/plain") }
        await store.drop("a")
        try await store.begin("c", type: "text/plain")
        #expect(await store.begunCount == 2)
        await faulty.close()
        #expect(await store.begunCount == 0)
        #expect(faulty.bucket.names.isEmpty, "nothing of them was sent")
    }

    @Test func `a file that is dropped while a part is under way leaves nothing`() async throws {
        let gate = Gate()
        let faulty = try await FaultyStore(
            FaultyBucket { name, _ in name == "PUT part" ? .wait(gate) : nil })
        let store = faulty.store
        try await store.begin("a", type: "text/plain")
        let append = Task { try await store.append(Self.bytes(1_500), to: "a") }
        await faulty.bucket.arrivals.wait { $0.contains("PUT part") }
        // A second piece at once would change the order.
        await #expect(throws: StorageError.self) { try await store.append([1], to: "a") }
        await store.drop("a")
        gate.open()
        _ = await append.result
        await store.settle()
        #expect(faulty.bucket.names == ["BEGIN parts", "PUT part", "DELETE parts"])
        #expect(faulty.bucket.uploadCount == 0)
        await faulty.close()
    }

    @Test func `a sender that goes away does not stop the keeping`() async throws {
        let gate = Gate()
        let faulty = try await FaultyStore(
            FaultyBucket { name, _ in name == "PUT file" ? .wait(gate) : nil })
        let store = faulty.store
        try await store.begin("a", type: "text/plain")
        try await store.append([1, 2, 3], to: "a")
        let keep = Task { try await store.keep("a") }
        await faulty.bucket.arrivals.wait(for: 1)
        keep.cancel()
        gate.open()
        try await keep.value
        #expect(faulty.bucket.files == ["a": [1, 2, 3]])
        await faulty.close()
    }

    @Test func `a failed keeping can be tried again`() async throws {
        let faulty = try await FaultyStore(
            FaultyBucket { name, count in
                name == "JOIN parts" && count == 1 ? .error(403, "AccessDenied") : nil
            })
        await #expect(throws: StorageError.self) {
            try await faulty.write(Self.bytes(2_500), as: "a")
        }
        try await faulty.store.keep("a")
        #expect(faulty.bucket.files == ["a": Self.bytes(2_500)])
        await faulty.close()
    }

    @Test func `TLS trusts the named authority only`() async throws {
        let certificates = try TemporaryCertificates()
        let tls = try TLSContext.server(
            certificateChainFile: certificates.certificate, privateKeyFile: certificates.key)
        let faulty = try await FaultyStore(tls: tls, authorities: certificates.authority)
        try await faulty.write(Self.bytes(3_000), as: "a")
        #expect(faulty.bucket.files == ["a": Self.bytes(3_000)])
        let other = try await FaultyStore(tls: tls)
        await #expect(throws: StorageError.self) { try await other.store.check() }
        for store in [faulty, other] { await store.close() }
    }
}
