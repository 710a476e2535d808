// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension WriteSession {
    /// Updates the replies to a message with its present state; nil if the message is deleted (scar
    /// 116).
    ///
    /// A caller that has already looked for replies passes the result as `known`.
    func follow(
        _ parent: MessageID, as preview: ParentPreview?, known: Bool?, news: inout MessageNews
    ) throws(SQLiteError) {
        var hasReplies = known
        if hasReplies == nil {
            hasReplies = try connection.first(.replyOfParent, (news.channelRow, parent)) != nil
        }
        guard hasReplies == true else { return }
        let replies = MessageStretch(
            channelRow: news.channelRow, lower: .distantPast, upper: .distantFuture,
            key: parent.rawValue)
        var stale: [StoredMessage] = []
        try connection.scan(.oldestOfParent, replies) { row throws(SQLiteError) in
            // An unreadable reply is left to its readers.
            if let reply = try readable(row, in: news.channel),
                reply.message.details.parentPreview != preview
            {
                stale.append(reply)
            }
            return true
        }
        for stored in stale {
            var reply = stored.message
            if let preview {
                reply.details.follow(preview)
            } else {
                reply.details.parentPreview = nil
            }
            try replace(stored, with: reply, news: &news)
        }
    }
}
