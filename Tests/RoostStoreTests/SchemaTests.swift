// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import Testing

struct SchemaTests {
    @Test func `the first schema has number 1 in both databases`() {
        #expect(StoreSchema.current.cache.newest == 1)
        #expect(StoreSchema.current.outbox.newest == 1)
    }

    private static let stretch = """
        SEARCH message USING PRIMARY KEY (channel_id=? AND (created_at,message_id)>(?,?) AND \
        (created_at,message_id)<(?,?))
        """
    private static let moments =
        "SEARCH message USING PRIMARY KEY (channel_id=? AND created_at>? AND created_at<?)"
    private static let place = """
        SEARCH message USING PRIMARY KEY (channel_id=? AND created_at=? AND message_id=?)
        """

    private static let ofReply = """
        SCALAR SUBQUERY 1; SEARCH reply USING COVERING INDEX message_by_parent \
        (channel_id=? AND parent_id=?)
        """

    private static func keyed(_ index: String, _ column: String) -> String {
        """
        SEARCH message USING INDEX \(index) (channel_id=? AND \(column)=? AND \
        (created_at,message_id)>(?,?) AND (created_at,message_id)<(?,?))
        """
    }

    static let plans: [(name: String, plan: String)] = [
        ("oldestPage", moments),
        ("newestPage", moments),
        ("oldestMessages", stretch),
        ("newestMessages", stretch),
        ("messageEdits", stretch),
        ("oldestOfCustomType", keyed("message_by_custom_type", "custom_type_id")),
        ("newestOfCustomType", keyed("message_by_custom_type", "custom_type_id")),
        ("oldestOfKind", keyed("message_by_kind", "kind")),
        ("newestOfKind", keyed("message_by_kind", "kind")),
        ("oldestOfParent", keyed("message_by_parent", "parent_id")),
        ("newestOfParent", keyed("message_by_parent", "parent_id")),
        (
            "replyOfParent",
            "SEARCH message USING COVERING INDEX message_by_parent (channel_id=? AND parent_id=?)"
        ),
        ("messageAtPlace", place),
        ("changingMessage", "\(place); \(ofReply)"),
        (
            "changingMessageByID",
            "SEARCH message USING INDEX message_by_id (message_id=? AND channel_id=?); \(ofReply)"
        ),
        ("updateContent", place),
        ("updateMessage", place),
        ("deleteMessage", place),
        (
            "mentions",
            "SEARCH message USING INDEX message_by_mention ((created_at,message_id)<(?,?))"
        ),
        ("edited", "SEARCH message USING INDEX message_by_edit (channel_id=? AND updated_at>?)"),
        ("messageByID", "SEARCH message USING INDEX message_by_id (message_id=?)"),
        ("messagesByRequest", "SEARCH message USING INDEX message_by_request (request_key=?)"),
        (
            "positionOfMessage",
            "SEARCH message USING COVERING INDEX message_by_id (message_id=? AND channel_id=?)"
        ),
        (
            "countMessages",
            "SEARCH message USING PRIMARY KEY (channel_id=? AND created_at>? AND (created_at,message_id)<(?,?))"
        ),
        (
            "coverage",
            """
            SEARCH c USING PRIMARY KEY (channel_id=? AND filter_id=?); \
            SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
            """
        ),
        ("filtersOfChannel", "SEARCH coverage USING PRIMARY KEY (channel_id=? AND filter_id>?)"),
        (
            "filterRow",
            "SEARCH filter USING COVERING INDEX sqlite_autoindex_filter_1 (payload=?)"
        ),
        (
            "holding",
            """
            SEARCH h USING INTEGER PRIMARY KEY (rowid=?); \
            SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
            """
        ),
        ("wordRow", "SEARCH word USING COVERING INDEX sqlite_autoindex_word_1 (text=?)"),
        ("channelRow", "SEARCH channel USING INDEX sqlite_autoindex_channel_1 (url=?)"),
        (
            "channelsByLastMessage",
            """
            SEARCH channel USING INDEX channel_by_last_message \
            (last_message_at>? AND last_message_at<?)
            """
        ),
        ("channelsByCreation", "SEARCH channel USING INDEX channel_by_creation (created_at<?)"),
        ("userByID", "SEARCH user USING INDEX sqlite_autoindex_user_1 (user_id=?)"),
        (
            "usersInRows",
            """
            SCAN wanted VIRTUAL TABLE INDEX 1:; SEARCH user USING INTEGER PRIMARY KEY (rowid=?)
            """
        ),
        ("deleteCursorsOfChannel", "SEARCH cursor USING PRIMARY KEY (kind=? AND channel_id=?)"),
    ]

    private static let lists = """
        LIST SUBQUERY 1; SCAN json_each VIRTUAL TABLE INDEX 1:
        """
    private static let bothLists = """
        \(lists); LIST SUBQUERY 2; SCAN json_each VIRTUAL TABLE INDEX 1:
        """

    static let searchPlans: [(name: String, plan: String)] = [
        (
            "newestHits",
            """
            SCAN t VIRTUAL TABLE INDEX 192:M2<; \
            SEARCH m USING INDEX message_by_id (message_id=?); \(lists)
            """
        ),
        (
            "newestHitsOfSenders",
            """
            SCAN t VIRTUAL TABLE INDEX 192:M2<; \
            SEARCH m USING INDEX message_by_id (message_id=?); \(bothLists)
            """
        ),
        (
            "bestHits",
            """
            SCAN t VIRTUAL TABLE INDEX 0:M2; SEARCH m USING INDEX message_by_id (message_id=?); \
            \(bothLists); USE TEMP B-TREE FOR ORDER BY
            """
        ),
        ("messagesBelow", "SEARCH message USING INDEX message_by_id (message_id<?)"),
        (
            "newestUnindexed",
            """
            SEARCH message USING COVERING INDEX message_by_id (message_id<?); \
            USE TEMP B-TREE FOR GROUP BY
            """
        ),
        (
            "searchedChannels",
            """
            SCAN channel USING INDEX sqlite_autoindex_channel_1; \
            SEARCH c USING PRIMARY KEY (channel_id=? AND filter_id=?) LEFT-JOIN; \
            SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
            """
        ),
    ]

    @Test(arguments: plans)
    func `a hot query searches and never sorts (R8, scar 155)`(
        name: String, plan: String
    ) async throws {
        let store = try await Store.test()
        // The first query for edits makes their index.
        _ = try await store.reader.edited(in: Fixture.channel, since: .distantPast, limit: 1)
        let found = try #require(try await store.writer.hotPlans()[name])
        #expect(found.joined(separator: "; ") == plan)
    }

    @Test(arguments: searchPlans)
    func `a search walks the index of words, looks messages up and sorts by rank only`(
        name: String, plan: String
    ) async throws {
        let store = try await Store.test()
        let found = try #require(try await store.writer.hotPlans()[name])
        #expect(found.joined(separator: "; ") == plan)
    }

    @Test func `every hot query has a pinned plan in this file`() async throws {
        let store = try await Store.test()
        #expect(
            try await store.writer.hotPlans().keys.sorted()
                == (Self.plans + Self.searchPlans).map(\.name).sorted())
    }
}
