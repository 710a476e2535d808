// The public declarations of `RoostTestKit`: written by scripts/public-api, not to be edited.

struct TestClock: Clock {
    var minimumResolution: Duration { get }
    var now: Instant { get }
    func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws

    struct Instant: InstantProtocol {
        let offset: Duration
        static func < (left: Self, right: Self) -> Bool
        func advanced(by duration: Duration) -> Self
        func duration(to other: Self) -> Duration
    }
}

final class TestDevice: Sendable {
    var requestCount: Int { get }
    var userID: UserID { get }
    func crash() async
    func cutLink() async
    func fillDisk()
    func freeDisk()
    func inject(_ fault: TestFault, times count: Int = 1)
    func launch(_ configure: (inout Configuration) -> Void = { _ in }) async throws(RoostError) -> ChatClient
    func remaining(_ fault: TestFault) -> Int
    func restoreLink()
    func setDelay(_ delay: Duration?)
}

struct TestFailure: CustomStringConvertible, Error, Hashable, Sendable {
    let description: String
}

enum TestFault: CaseIterable, Hashable, Sendable {
    case busyServer
    case cutFrame
    case expiredSession
    case lostAcknowledgement
    case lostAnswer
    case lostRequest
    case refusedMessage
    case refusedRequest
    case repeatedFrame
    case silentSocket
}

struct TestPerson: Sendable {
    let id: UserID
    @discardableResult func createChannel(with others: [UserID], name: String = "", url: ChannelURL? = nil, operators: [UserID] = []) async throws(TestFailure) -> ChannelURL
    func delete(_ message: MessageID, in channel: ChannelURL) async throws(TestFailure)
    func deleteChannel(_ channel: ChannelURL) async throws(TestFailure)
    func edit(_ message: MessageID, in channel: ChannelURL, text: String) async throws(TestFailure)
    func endTyping(in channel: ChannelURL) async throws(TestFailure)
    func freeze(_ channel: ChannelURL, isFrozen: Bool = true) async throws(TestFailure)
    func invite(_ users: [UserID], to channel: ChannelURL) async throws(TestFailure)
    func leave(_ channel: ChannelURL) async throws(TestFailure)
    func markAsRead(_ channel: ChannelURL) async throws(TestFailure)
    func react(_ key: String, to message: MessageID, in channel: ChannelURL, isAdded: Bool = true) async throws(TestFailure)
    func rename(_ channel: ChannelURL, to name: String) async throws(TestFailure)
    @discardableResult func send(_ text: String, to channel: ChannelURL, answering parent: MessageID? = nil) async throws(TestFailure) -> MessageID
    func startTyping(in channel: ChannelURL) async throws(TestFailure)
}

final class TestWorld: Sendable {
    var clock: TestClock { get }
    var now: Duration { get }
    var wallTime: Timestamp { get }
    @MainActor static func run<Value: Sendable>(seed: UInt64 = 1, _ story: @escaping @MainActor @Sendable (TestWorld) async throws -> Value, fileID: String = #fileID, line: Int = #line) async throws -> Value
    func device(of user: UserID, pageSize: Int = 40) throws -> TestDevice
    func messages(in channel: ChannelURL) async throws -> [Message]
    func pass() async
    func pass(_ duration: Duration) async
    func person(_ id: UserID, nickname: String = "") async -> TestPerson
    func setToken(_ token: String, of user: UserID) async
    @MainActor func wait(atMost limit: Duration = .seconds(60), until condition: @MainActor () async throws -> Bool, fileID: String = #fileID, line: Int = #line) async throws
    @MainActor @discardableResult func wait(for client: ChatClient, atMost limit: Duration = .seconds(60), until condition: @MainActor (Health) -> Bool, fileID: String = #fileID, line: Int = #line) async throws(TestFailure) -> Health
}
