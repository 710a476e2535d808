// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostCore
import RoostExecutors
import RoostModel
import RoostPages
import RoostStore
import RoostWire

extension Option {
    static let exportedChannel = Option(
        "channel", .text(placeholder: "URL"), help: "write this channel only")
}

extension Command {
    static let cacheExport = Command(
        "cache export", summary: "writes the contents of a cache as lines of JSON",
        explanation: """
            Writes every cache below a folder to standard output, one object a line, without a server and
            without changing anything; a client may have it open. Each channel is followed by its messages,
            oldest first, and all unsent messages are at the end. The objects are those of the server's
            interface, with fields unknown to this release; "complete" lists the ranges in
            which no message is missing, as milliseconds, null for the beginning of the channel.
            """,
        operands: [.cacheFolder],
        options: [.exportedChannel, .keyOfCache], example: "roost cache export ./ada",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let channel = arguments.text(.exportedChannel).map { ChannelURL($0) }
            var total = ExportCount()
            let isCut = Guarded(false)
            try await CacheFolders.forEach(below: arguments.operands[0]) {
                folder throws(StoreError) in
                let named = CacheFolders.named(folder)
                let owner = await FolderInspection.owner(of: named)?.user ?? ""
                let count = try await FolderInspection.export(
                    named, only: channel, arguments.protection
                ) { item in
                    let isWritten = StandardOutput.writeNow(item.line(of: UserID(owner)))
                    if !isWritten { isCut.withLock { $0 = true } }
                    return isWritten
                }
                total.add(count)
            }
            // Without a reader nothing is counted, and the channel may be there.
            if let channel, total.channels == 0, total.unsent == 0, !isCut.withLock({ $0 }) {
                throw CommandFailure(noCacheBelow: arguments.operands[0], knows: channel)
            }
            guard total.unreadable == 0 else {
                throw CommandFailure(
                    .failed,
                    "Left out, because unreadable: \(Measures.count(total.unreadable, "row")). See "
                        + "roost cache verify \(arguments.operands[0]).")
            }
        })
}

extension ExportedItem {
    /// Returns the object as one line; `me` is the author of unsent items.
    func line(of me: UserID) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .channel(let url, let channel, let coverage):
                writer.name("channel")
                if let channel {
                    writer.groupChannel(channel)
                } else {
                    writer.object { writer in writer.field("channel_url", url.rawValue) }
                }
                writer.array("complete") { writer in
                    for range in coverage.ranges { writer.range(range) }
                }
            case .message(let message):
                writer.name("message")
                writer.message(message)
            case .unsent(let item):
                writer.name("unsent")
                if let message = item.message(from: Sender(user: User(id: me))) {
                    writer.message(message)
                } else if let change = item.change {
                    writer.object { writer in writer.change(change) }
                } else if let draft = item.draft {
                    writer.object { writer in writer.draft(draft) }
                }
            }
        }
        return writer.text
    }
}

extension JSONWriter {
    /// Adds the target and the content of a change.
    fileprivate mutating func change(_ change: PendingChange) {
        field("req_id", change.id.rawValue)
        field("channel_url", change.channel.rawValue)
        field("created_at", change.createdAt.milliseconds)
        field("kind", change.action.kind)
        switch change.action.target {
        case .delivered(let id): field("message_id", id.rawValue)
        case .unsent(let id): field("target_req_id", id.rawValue)
        case nil: break
        }
        switch change.action {
        case .edit(_, let edit):
            if let text = edit.text { field("message", text) }
            if let data = edit.data { field("data", data) }
            if let customType = edit.customType { field("custom_type", customType) }
            if let mention = edit.mention {
                field("mention_type", mention.kind.rawValue)
                field("mentioned_user_ids", mention.userIDs.map(\.rawValue))
            }
        case .delete: break
        case .addReaction(let key, _):
            field("operation", "ADD")
            field("reaction", key)
        case .removeReaction(let key, _):
            field("operation", "DELETE")
            field("reaction", key)
        case .markAsRead(let moment): field("through", moment.milliseconds)
        case .channel(let change): channelChange(change)
        }
    }

    fileprivate mutating func draft(_ draft: MessageDraft) {
        field("channel_url", draft.place.channel.rawValue)
        field("created_at", draft.editedAt.milliseconds)
        field("kind", "draft")
        field("message", draft.text)
        if let thread = draft.place.thread { field("parent_message_id", thread.rawValue) }
        if let id = draft.replyingTo { field("replying_to", id.rawValue) }
    }

    private mutating func channelChange(_ change: ChannelChange) {
        switch change {
        case .leave, .unhide: break
        case .hide(let allowsAutoUnhide): field("allow_auto_unhide", allowsAutoUnhide)
        case .invite(let users): field("user_ids", users.map(\.rawValue))
        case .update(let params):
            if let name = params.name { field("name", name) }
            if let url = params.coverURL { field("cover_url", url) }
            if let data = params.data { field("data", data) }
            if let type = params.customType { field("custom_type", type) }
        case .setPushTrigger(let trigger): field("push_trigger_option", trigger.rawValue)
        case .setCountPreference(let preference):
            field("count_preference", preference.rawValue)
        case .mute(let user, let duration, _):
            field("user_id", user.rawValue)
            if let duration { field("seconds", duration.wholeSeconds) }
        case .unmute(let user): field("user_id", user.rawValue)
        case .pin(let id), .unpin(let id): field("message_id", id.rawValue)
        }
    }

    fileprivate mutating func range(_ range: CoveredRange) {
        array { writer in
            for end in [range.lower, range.upper] {
                if end == .distantPast || end == .distantFuture {
                    writer.null()
                } else {
                    writer.int(end.createdAt.milliseconds)
                }
            }
        }
    }
}

extension ExportCount {
    fileprivate mutating func add(_ other: ExportCount) {
        channels += other.channels
        messages += other.messages
        unsent += other.unsent
        unreadable += other.unreadable
    }
}
