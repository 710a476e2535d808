// SPDX-License-Identifier: Apache-2.0

import RoostSQLite

extension SQLiteStorage {
    /// Returns the query plans of the queries for every message, page and login.
    ///
    /// A test checks them: a plan that scans a table makes the server slower as it fills.
    package func hotPlans() throws(StorageError) -> [String: [String]] {
        try read { db throws(SQLiteError) in
            [
                "oldestMessages": try db.plan(of: .oldestMessages),
                "newestMessages": try db.plan(of: .newestMessages),
                "oldestReplies": try db.plan(of: .oldestReplies),
                "newestReplies": try db.plan(of: .newestReplies),
                "replyCount": try db.plan(of: .replyCount),
                "threadEnd": try db.plan(of: .threadEnd),
                "repliers": try db.plan(of: .repliers),
                "placeAfter": try db.plan(of: .placeAfter),
                "placeBefore": try db.plan(of: .placeBefore),
                "replyAfter": try db.plan(of: .replyAfter),
                "replyBefore": try db.plan(of: .replyBefore),
                "messageCount": try db.plan(of: .messageCount),
                "messageOfRequest": try db.plan(of: .messageOfRequest),
                "momentOfMessage": try db.plan(of: .momentOfMessage),
                "liveBefore": try db.plan(of: .liveBefore),
                "lastCreatedAt": try db.plan(of: .lastCreatedAt),
                "changesAfter": try db.plan(of: .changesAfter),
                "lastChange": try db.plan(of: .lastChange),
                "addMember": try db.plan(of: .addMember),
                "nextPlace": try db.plan(of: .nextPlace),
                "memberIDs": try db.plan(of: .memberIDs),
                "someMemberIDs": try db.plan(of: .someMemberIDs),
                "showHidden": try db.plan(of: .showHidden),
                "audienceMembers": try db.plan(of: .audienceMembers),
                "membersAfter": try db.plan(of: .membersAfter),
                "memberCount": try db.plan(of: .memberCount),
                "knownMember": try db.plan(of: .knownMember),
                "operators": try db.plan(of: .operators),
                "restrictedAfter": try db.plan(of: .restrictedAfter),
                "restrictedCount": try db.plan(of: .restrictedCount),
                "endedRestriction": try db.plan(of: .endedRestriction),
                "createdChannels": try db.plan(of: .createdChannels),
                "channelsAfter": try db.plan(of: .channelsAfter),
                "presentListings": try db.plan(of: .presentListings),
                "listings": try db.plan(of: .listings),
                "newestPlaces": try db.plan(of: .newestPlaces),
                "membersOfPage": try db.plan(of: .membersOfPage),
                "namedMember": try db.plan(of: .namedMember),
                "talliesOfPage": try db.plan(of: .talliesOfPage),
                "lastMessagesOfPage": try db.plan(of: .lastMessagesOfPage),
                "unread": try db.plan(of: .unread),
                "unreadOfMembers": try db.plan(of: .unreadOfMembers),
                "blockers": try db.plan(of: .blockers),
                "deviceOwners": try db.plan(of: .deviceOwners),
                "noteActivity": try db.plan(of: .noteActivity),
                "forgetActivity": try db.plan(of: .forgetActivity),
                "activeUsers": try db.plan(of: .activeUsers),
                "unreadTotal": try db.plan(of: .unreadTotal),
                "session": try db.plan(of: .session),
                "token": try db.plan(of: .token),
                "lastingToken": try db.plan(of: .lastingToken),
                "tokensBeyond": try db.plan(of: .tokensBeyond),
                "endSessionsBeyond": try db.plan(of: .endSessionsBeyond),
                "endSessionsOfToken": try db.plan(of: .endSessionsOfToken),
                "endSessionsWithoutToken": try db.plan(of: .endSessionsWithoutToken),
                "forgetEndedSessions": try db.plan(of: .forgetEndedSessions),
                "forgetEndedTokens": try db.plan(of: .forgetEndedTokens),
                "allDocuments": try db.plan(of: .allDocuments),
                "documentsOfChannel": try db.plan(of: .documentsOfChannel),
                "documentsOfOwner": try db.plan(of: .documentsOfOwner),
                "waitingDocuments": try db.plan(of: .waitingDocuments),
                "changedDocuments": try db.plan(of: .changedDocuments),
                "documentOfRequest": try db.plan(of: .documentOfRequest),
            ]
        }
    }
}
