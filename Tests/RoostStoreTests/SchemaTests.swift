// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Testing

struct SchemaTests {
    @Test func `released migrations are frozen: change none, add the next`() {
        #expect(StoreWriter.migrationChecksums == [-7_174_208_380_872_165_918])
        #expect(OutboxStore.migrationChecksums == [3_944_592_258_594_283_291])
    }

    private static let stretch = """
        SEARCH message USING PRIMARY KEY (channel_id=? AND (created_at,message_id)>(?,?) AND \
        (created_at,message_id)<(?,?))
        """
    private static let place = """
        SEARCH message USING PRIMARY KEY (channel_id=? AND created_at=? AND message_id>? AND \
        message_id<?)
        """
    private static let channel = "; SEARCH channel USING INTEGER PRIMARY KEY (rowid=?)"

    static let plans: [(name: String, plan: String)] = [
        ("oldestMessages", stretch),
        ("newestMessages", stretch),
        ("messageAtPlace", place),
        ("updateMessage", place),
        ("deleteMessage", place),
        ("messageByID", "SEARCH message USING INDEX message_by_id (message_id=?)" + channel),
        (
            "messageByRequest",
            "SEARCH message USING INDEX message_by_request (request_id=?)" + channel
        ),
        (
            "positionOfMessage",
            "SEARCH message USING COVERING INDEX message_by_id (message_id=? AND channel_id=?)"
        ),
        (
            "countMessages",
            "SEARCH message USING PRIMARY KEY (channel_id=? AND created_at>? AND created_at<?)"
        ),
        ("coverage", "SEARCH coverage USING PRIMARY KEY (channel_id=? AND filter=?)"),
        (
            "channelsByLastMessage",
            """
            SEARCH channel USING INDEX channel_by_last_message \
            (last_message_at>? AND last_message_at<?)
            """
        ),
        ("channelsByCreation", "SEARCH channel USING INDEX channel_by_creation (created_at<?)"),
        ("userByID", "SEARCH user USING INDEX sqlite_autoindex_user_1 (user_id=?)"),
    ]

    @Test(arguments: plans)
    func `a hot query searches and never sorts (scar 155)`(
        name: String, plan: String
    ) async throws {
        let store = try await Store.test()
        let found = try #require(try await store.writer.hotPlans()[name])
        #expect(found.joined(separator: "; ") == plan)
    }

    @Test func `every hot query is pinned here`() async throws {
        let store = try await Store.test()
        #expect(try await store.writer.hotPlans().keys.sorted() == Self.plans.map(\.name).sorted())
    }
}
