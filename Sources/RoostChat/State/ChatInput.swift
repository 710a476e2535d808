// SPDX-License-Identifier: Apache-2.0

public import Roost

/// One fact for the chat: a key, a snapshot of the client, the result of an effect.
public enum ChatInput: Sendable {
    case key(Key)
    /// A pasted text, whole.
    case paste(String)
    case mouse(MouseAction)
    case resized(GridSize)
    /// The end of the program, by a signal or with the terminal.
    case quit
    /// The present time, about once a second.
    case tick(Timestamp)

    case health(Health)
    case channels([GroupChannel], hasMore: Bool)
    case typing([User], ChannelURL)
    /// The online state of users, as far as the server sent it.
    case presence([UserID: Bool])

    case messages(ChannelURL, Window)
    /// The replies to a message.
    case replies(MessageID, Window)
    /// The message that the replies of a thread answer.
    case threadParent(Message)
    /// The changes of a channel's messages that the server has not made yet.
    case pending(ChannelURL, [PendingChange])
    case holes(ChannelURL, [Hole])
    /// The draft of a place that was opened; empty without one.
    case draft(DraftPlace, String)

    case uploading(RequestID, UploadProgress)
    case file(address: String, FileState)
    /// A text that could not be saved for its delivery, and why.
    case textRefused(String, DraftPlace, reason: String)
    /// The text of an edit that could not be made, and why.
    case editRefused(MessageTarget, ChannelURL, text: String, reason: String)
    /// A change that the server has refused, perhaps long after its call.
    case changeRefused(ChangeRefusal)
    /// The path of a file that could not be sent, and why.
    case fileRefused(path: String, reason: String)
    /// The people with whom no chat could be started, and why.
    case chatRefused([UserID], reason: String)
    case found(String, [MessageSearchPage.Match], isComplete: Bool)
    /// The words whose search failed, and why.
    case searchFailed(String, reason: String)
    /// The messages of all channels that failed.
    case failures([Message])
    /// The state of a download of a channel's history, and the messages that have come.
    case historyDownload(ChannelURL, DownloadProgress.State, messages: Int)
    case created(ChannelURL)
    /// Asks for the chat with a user, from the disk or the server.
    case want(UserID)
    /// A failed effect, in a sentence for the reader.
    case failed(String)
    case told(String)

    /// A part of a channel's history that is not on this device.
    public struct Hole: Hashable, Sendable {
        /// The start; `.distantPast` for the beginning of the channel.
        public var from: Timestamp
        /// The end; `.distantFuture` for the newest messages.
        public var through: Timestamp

        public init(from: Timestamp, through: Timestamp) {
            self.from = from
            self.through = through
        }
    }

    /// The part of a channel's or a thread's history that is on screen.
    public struct Window: Sendable {
        public var messages: [Message]
        public var hasOlder: Bool
        public var hasNewer: Bool
        public var hasHugeGap: Bool

        public init(
            _ messages: [Message], hasOlder: Bool = false, hasNewer: Bool = false,
            hasHugeGap: Bool = false
        ) {
            self.messages = messages
            self.hasOlder = hasOlder
            self.hasNewer = hasNewer
            self.hasHugeGap = hasHugeGap
        }
    }
}

extension ChatInput {
    /// Whether the input has no meaning for a reader who sees nothing on a small screen.
    var needsScreen: Bool {
        switch self {
        case .key(.control("q")), .key(.control("c")): false
        case .key, .paste, .mouse: true
        default: false
        }
    }
}

/// The progress of a file on its way to this device.
public enum FileState: Hashable, Sendable {
    case loading(received: Int64, total: Int64?)
    /// The path of the copy.
    case saved(String)
    case failed(String)
}

/// One action outside of the state: a call of the client, or the end of the program.
public enum ChatEffect: Hashable, Sendable {
    /// Opens a channel at a moment, nil for its newest messages.
    case open(ChannelURL, at: Timestamp?)
    /// Shows another moment of the thread, or of the channel if no thread is open.
    case jump(Timestamp)
    case loadOlder
    case loadNewer
    /// Opens the thread of a message at a moment, nil for its newest replies.
    case openThread(ChannelURL, MessageID, at: Timestamp? = nil)
    case closeThread
    case send(String, ChannelURL, thread: MessageID?)
    case sendFile(path: String, ChannelURL, thread: MessageID?)
    case edit(MessageTarget, ChannelURL, text: String)
    case delete(MessageTarget, ChannelURL)
    case addReaction(String, MessageTarget, ChannelURL)
    case removeReaction(String, MessageTarget, ChannelURL)
    case resend(RequestID)
    case discard(RequestID, ChannelURL)
    /// Forgets a change that the server has refused.
    case forget(RequestID)
    /// Reads the messages that failed, after the writes before it.
    case readFailures
    case markAsRead(ChannelURL, through: Timestamp)
    case startTyping(ChannelURL)
    case endTyping(ChannelURL)
    /// Keeps a draft; an empty text removes it.
    case saveDraft(String, DraftPlace)
    /// Keeps a text as the draft of a place, in front of the draft that it has.
    case addToDraft(String, DraftPlace)
    case search(String)
    case createChannel([UserID])
    case loadMoreChannels
    case readPresence([UserID])
    case connect
    case disconnect
    case downloadHistory(ChannelURL)
    case pauseDownload
    case save(FileContent)
    /// Draws every cell again, after another program has written on the terminal.
    case repaint
    case quit
}
