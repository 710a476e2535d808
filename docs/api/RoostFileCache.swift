// The public declarations of `RoostFileCache`: written by scripts/public-api, not to be edited.

extension ChatClient {
    @discardableResult func importFiles(of cache: FileCache, areWhole: Bool = false) async throws(RoostError) -> Int
}

struct FileCache: Sendable {
    static let limit: Int
    init(folder: String, application: String, user: UserID)
    func loadChannels() -> Loaded<GroupChannel>?
    func loadMessages(in channel: ChannelURL) -> Loaded<Message>?
    @discardableResult func removeAll() -> Bool
    @discardableResult func save(_ channels: [GroupChannel]) -> Bool
    @discardableResult func save(_ messages: [Message], in channel: ChannelURL) -> Bool

    struct Loaded<Value: Sendable>: Sendable {
        let damagedLineCount: Int
        let isConsistent: Bool
        let values: [Value]
    }
}
