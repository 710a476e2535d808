// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A request of a script to `roost client`; `docs/client.md` describes each.
package enum Request: Hashable, Sendable {
    case connect
    case disconnect
    case createChannel(ChannelCreateParams)
    case channels(anew: Bool)
    case moreChannels
    case open(ChannelURL, startingAt: Timestamp)
    case older
    case newer
    /// Nil means the open channel, here and below.
    case send(String, ChannelURL?)
    /// A file with a caption.
    case sendFile(path: String, String, ChannelURL?)
    case edit(MessageID, String, ChannelURL?)
    case delete(MessageID, ChannelURL?)
    /// Adds or removes a reaction.
    case react(String, adds: Bool, MessageID, ChannelURL?)
    /// Nil marks the channel at the server now; a moment waits in the outbox.
    case markRead(through: Timestamp?, ChannelURL?)
    case typing(isStart: Bool, ChannelURL?)
    /// The cached messages of a channel, or of all channels if it is nil.
    case search(String, limit: Int, ChannelURL?)
    /// The parts of a channel's history that the disk lacks, with the server's counts.
    case holes(ChannelURL?)
    /// A file at an address; without a path it stays in the folder of downloaded files.
    case download(String, path: String?)
    case resend(RequestID)
    case cancel(RequestID)
    /// A change of a channel, which waits in the outbox.
    case change(ChannelChange, ChannelURL?)
    /// An empty text removes the draft.
    case saveDraft(String, thread: MessageID?, ChannelURL?)
    case drafts
    /// Reports the messages of an inbox, one after the other.
    case inbox(String, isFromBeginning: Bool)
    /// Acknowledges the message that the inbox reported last.
    case acknowledge(String)
    case snapshot
    case close
    case cache
    case compare(ChannelURL?)
    case health
    case waitIdle
    case quit

    /// The names of requests.
    package enum Name: String, CaseIterable, Sendable {
        case connect
        case disconnect
        case createChannel = "create_channel"
        case channels
        case moreChannels = "more_channels"
        case open
        case older
        case newer
        case send
        case sendFile = "send_file"
        case edit
        case delete
        case addReaction = "add_reaction"
        case removeReaction = "remove_reaction"
        case markRead = "mark_read"
        case startTyping = "start_typing"
        case endTyping = "end_typing"
        case search
        case holes
        case download
        case resend
        case cancel
        case leave
        case hide
        case unhide
        case updateChannel = "update_channel"
        case invite
        case setPushTrigger = "set_push_trigger"
        case saveDraft = "save_draft"
        case drafts
        case inbox
        case acknowledge
        case snapshot
        case close
        case cache
        case compare
        case health
        case waitIdle = "wait_idle"
        case quit

        /// The fields of the request besides `id` and `request`.
        package var fields: [String] {
            switch self {
            case .createChannel: ["members", "name", "distinct"]
            case .channels: ["anew"]
            case .open: ["channel", "starting_at"]
            case .send: ["text", "channel"]
            case .sendFile: ["path", "text", "channel"]
            case .edit: ["message_id", "text", "channel"]
            case .delete: ["message_id", "channel"]
            case .addReaction, .removeReaction: ["message_id", "key", "channel"]
            case .markRead: ["through", "channel"]
            case .search: ["words", "limit", "channel"]
            case .download: ["url", "path"]
            case .resend, .cancel: ["request_id"]
            case .compare, .holes, .leave, .unhide, .startTyping, .endTyping: ["channel"]
            case .hide: ["auto_unhide", "channel"]
            case .updateChannel: ["name", "cover_url", "data", "custom_type", "channel"]
            case .invite: ["members", "channel"]
            case .setPushTrigger: ["trigger", "channel"]
            case .saveDraft: ["text", "thread", "channel"]
            case .inbox: ["name", "from"]
            case .acknowledge: ["name"]
            case .connect, .disconnect, .moreChannels, .older, .newer, .drafts, .snapshot, .close,
                .cache, .health, .waitIdle, .quit:
                []
            }
        }
    }
}
