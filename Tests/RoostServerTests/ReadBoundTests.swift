// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// Calls that read many rows end early, hold no other call up, and count as many requests.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ReadBoundTests {
    private static let databases = [StorageKind.sqlite, .postgres]
    private static let rare = MessageFilter(customTypes: ["rare"])

    private static var bounds: StorageBounds {
        var bounds = StorageBounds()
        (bounds.firstStretch, bounds.stretch, bounds.stretches) = (5, 10, 2)
        return bounds
    }

    /// Appends 40 messages of "ann" to the channel "g"; only the oldest is rare, or those of the
    /// given numbers.
    private static func fill(
        _ storage: any Storage, text: String = "x", rare: Set<Int> = [0]
    ) async throws {
        for number in 0..<40 {
            var draft = StorageContractTests.draft(text, from: "ann")
            draft.customType = rare.contains(number) ? "rare" : "common"
            _ = try await storage.append(draft, now: Timestamp(milliseconds: 1_000_000))
        }
    }

    /// Returns a storage with 40 messages of "ann" in the channel "g".
    private static func filled(
        _ kind: StorageKind, _ bounds: StorageBounds, rare: Set<Int> = [0]
    ) async throws -> any Storage {
        let storage = try await kind.make(bounds: bounds)
        try await storage.addUser(User(id: "ann"))
        _ = try await storage.createChannel(
            StorageContractTests.channel("g", ["ann"]), now: StorageContractTests.start)
        try await fill(storage, rare: rare)
        return storage
    }

    /// Returns the number of calls of a user that the rate allows at once.
    private static func allowedCalls(
        _ fixture: ServerFixture, as device: ServerFixture.Device
    ) async -> Int {
        var count = 0
        while await refusal({ () async throws(APIFailure) in
            try await fixture.call(ListMyChannels(userID: "ann"), as: device)
        }) == nil {
            count += 1
        }
        return count
    }

    /// Cancels the task of the call.
    private static func cancelTask() {
        // SAFETY: the task is only cancelled, inside the closure.
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
    }

    private static func page(_ filter: MessageFilter) -> ListMessages {
        ListMessages(
            channelURL: "g", anchor: .time(.distantFuture), previousLimit: 1, nextLimit: 0,
            filter: filter, checksHasNext: false, checksContinuity: false)
    }

    @Test(arguments: databases)
    func `a page with a filter that ends early is no short page`(kind: StorageKind) async throws {
        let storage = try await Self.filled(kind, Self.bounds)
        let early = try await storage.findMessages(
            in: "g", PositionRange(), Self.rare, newestFirst: true, limit: 1)
        #expect(!early.isWhole && early.stretches == 2 && early.messages.isEmpty)
        await #expect(throws: StorageError.self) {
            try await storage.messages(
                in: "g", PositionRange(), Self.rare, newestFirst: true, limit: 1)
        }
        let found = try await storage.findMessages(
            in: "g", PositionRange(), Self.rare, newestFirst: false, limit: 1)
        #expect(found.isWhole && found.stretches == 0 && found.messages.count == 1)
        let all = try await storage.findMessages(
            in: "g", PositionRange(), MessageFilter(), newestFirst: true, limit: 100)
        #expect(all.isWhole && all.messages.count == 40)
        let counted = try await storage.countMessages(
            in: "g", PositionRange(), Self.rare, atMost: .max)
        #expect(counted.count == 1 && counted.stretches == 4)
    }

    @Test(arguments: databases)
    func `pages with a filter, gaps and counts cost as many requests as they read`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make(bounds: Self.bounds)
        let scene = try await BudgetScene(storage) {
            $0.userRate = Rate(burst: 20, perSecond: 1)
        }
        try await Self.fill(storage)
        func left(after code: RoostError.Code?, of call: some Question) async -> Int {
            scene.fixture.world.advance(60_000)
            let refused = await refusal { () async throws(APIFailure) in
                try await scene.fixture.call(call, as: scene.ann)
            }
            #expect(refused == code)
            return await Self.allowedCalls(scene.fixture, as: scene.ann)
        }
        #expect(await left(after: nil, of: Self.page(MessageFilter())) == 19)
        #expect(await left(after: .invalidValue, of: Self.page(Self.rare)) == 17)
        #expect(await left(after: nil, of: CountMessages(channelURL: "g")) == 15)
        let side = MessageGap.Side(
            start: Timestamp(milliseconds: 0), end: Timestamp(milliseconds: 4_000_000_000_000),
            cachedCount: 1)
        let gap = MessageGap(channelURL: "g", previous: side, next: nil, filter: Self.rare)
        #expect(await left(after: nil, of: gap) == 15)
    }

    @Test(arguments: databases)
    func `a call whose caller goes costs as many requests as it has read until then`(
        kind: StorageKind
    ) async throws {
        let storage = HookedStorage(try await kind.make(bounds: Self.bounds))
        let scene = try await BudgetScene(storage) {
            $0.userRate = Rate(burst: 20, perSecond: 1)
        }
        try await Self.fill(storage)
        func left(after call: some Question, reading name: String) async -> Int {
            scene.fixture.world.advance(60_000)
            storage.before(name) { Self.cancelTask() }
            let end = Task {
                await refusal { () async throws(APIFailure) in
                    try await scene.fixture.call(call, as: scene.ann)
                }
            }
            #expect(await end.value == .internalServerError)
            return await Self.allowedCalls(scene.fixture, as: scene.ann)
        }
        let afterPage = await left(after: Self.page(Self.rare), reading: "messages")
        let afterCount = await left(
            after: CountMessages(channelURL: "g"), reading: "messageCount")
        // The call itself, and the first stretch.
        #expect(afterPage == 18 && afterCount == 18)
    }

    @Test(arguments: databases)
    func `a page with a filter ends early only behind many rows without a match`(
        kind: StorageKind
    ) async throws {
        let storage = try await Self.filled(kind, Self.bounds, rare: [0, 20, 39])
        let found = try await storage.findMessages(
            in: "g", PositionRange(), Self.rare, newestFirst: true, limit: 3)
        #expect(found.isWhole && found.stretches == 4 && found.messages.count == 3)
    }

    @Test(arguments: databases)
    func `a page with a filter ends early behind many rows with few matches`(
        kind: StorageKind
    ) async throws {
        var bounds = Self.bounds
        bounds.allStretches = 3
        let storage = try await Self.filled(kind, bounds, rare: [0, 20, 39])
        let found = try await storage.findMessages(
            in: "g", PositionRange(), Self.rare, newestFirst: true, limit: 3)
        #expect(!found.isWhole && found.stretches == 3 && found.messages.count == 2)
    }

    @Test(arguments: databases)
    func `a found page is answered although the probe behind it ends early`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make(bounds: Self.bounds)
        let scene = try await BudgetScene(storage)
        try await Self.fill(storage)
        let page = try await scene.fixture.call(
            ListMessages(
                channelURL: "g", anchor: .time(.distantPast), previousLimit: 0, nextLimit: 1,
                filter: Self.rare, checksHasNext: true, checksContinuity: false), as: scene.ann)
        #expect(page.messages.map(\.customType) == ["rare"])
        #expect(page.hasNext == true)
    }

    @Test func `a page with a filter is not continuous for a deletion during its calls`()
        async throws
    {
        let storage = HookedStorage(MemoryStorage(on: ThreadExecutor(name: "storage")))
        let scene = try await BudgetScene(storage)
        try await Self.fill(storage, rare: [0, 2])
        let first = try #require(try await storage.base.log(of: "g").first?.message.messageID)
        storage.before("messageCount") {
            // Of the three messages that the page spans, two are left.
            _ = try? await storage.base.delete(
                first, in: "g", now: Timestamp(milliseconds: 2_000_000))
        }
        let torn = try await scene.fixture.call(
            ListMessages(
                channelURL: "g", anchor: .time(.distantPast), previousLimit: 0, nextLimit: 2,
                filter: Self.rare, checksHasNext: false, checksContinuity: true), as: scene.ann)
        #expect(torn.messages.count == 2 && torn.isContinuous == false)
        let log = try await storage.base.log(of: "g")
        #expect(log.first?.deletedAt != nil)
    }

    @Test func `a page whose filter leaves out nothing is continuous`() async throws {
        let storage = MemoryStorage(on: ThreadExecutor(name: "storage"))
        let scene = try await BudgetScene(storage)
        try await Self.fill(storage, rare: [0, 1])
        let page = try await scene.fixture.call(
            ListMessages(
                channelURL: "g", anchor: .time(.distantPast), previousLimit: 0, nextLimit: 2,
                filter: Self.rare, checksHasNext: true, checksContinuity: true), as: scene.ann)
        #expect(page.messages.count == 2 && page.isContinuous == true && page.hasNext == false)
    }

    @Test func `a page with a filter holds no message of its channel up`() async throws {
        let storage = HookedStorage(MemoryStorage(on: ThreadExecutor(name: "storage")))
        let scene = try await BudgetScene(storage)
        let (fixture, bob) = (scene.fixture, scene.bob)
        storage.before("messages") { await fixture.send("now", "r", to: "g", on: bob) }
        let page = try await fixture.call(Self.page(Self.rare), as: scene.ann)
        #expect(page.messages.isEmpty)
        let events = try bob.inbox.take()
        #expect(events.compactMap(\.message).map(\.message.text) == ["now"])
    }

    @Test func `fingerprints cost what they read, and end behind a bound of bytes`() async throws {
        let storage = MemoryStorage(on: ThreadExecutor(name: "storage"))
        let scene = try await BudgetScene(storage) {
            $0.userRate = Rate(burst: 20, perSecond: 1)
            $0.limits.fingerprintBytes = 4_000_000
        }
        try await Self.fill(storage, text: String(repeating: "x", count: 60_000))
        scene.fixture.world.advance(60_000)
        let all = FingerprintMessages.Stretch(from: .distantPast, through: .distantFuture)
        let once = FingerprintMessages(channelURL: "g", stretches: [all])
        let found = try await scene.fixture.call(once, as: scene.ann)
        #expect(found.map(\.count) == [40])
        #expect(await Self.allowedCalls(scene.fixture, as: scene.ann) == 17)
        scene.fixture.world.advance(60_000)
        // The second stretch reaches the bound, so the third is left out.
        let others = [1, 2].map { id in
            FingerprintMessages.Stretch(
                from: .distantPast,
                through: Position(createdAt: .distantFuture, messageID: MessageID(id)))
        }
        let thrice = FingerprintMessages(channelURL: "g", stretches: [all] + others)
        let first = try await scene.fixture.call(thrice, as: scene.ann)
        #expect(first.map(\.count) == [40, 40])
        #expect(await Self.allowedCalls(scene.fixture, as: scene.ann) == 15)
    }
}
