// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Roost

/// All of the chat's screen as a value; inputs change it and return effects.
///
/// No clock, no client, no terminal: `receive` decides, a `ChatSession` acts.
public struct ChatState: Sendable {
    /// The part of the screen that gets the keys.
    enum Focus: Hashable, Sendable {
        case composer
        case channels
        case messages
        /// A line that asks for a word; see `prompt`.
        case prompt
        /// The list of found messages.
        case results
        /// The list of messages that failed.
        case failures
        case help
    }

    /// A line that asks for a word.
    struct Prompt: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case search
            case attach
            case newChannel
            case reaction(MessageTarget)
            case discard(MessageTarget)
            /// A failed message of the list over all channels.
            case discardFailed(RequestID, ChannelURL)
        }

        let kind: Kind
        var answer = Composer()
        /// The focus to return to.
        let back: Focus

        /// Whether the question is about a message of the open channel.
        var isAboutMessage: Bool {
            switch kind {
            case .reaction, .discard: true
            case .search, .attach, .newChannel, .discardFailed: false
            }
        }
    }

    /// The answer of a search on this device.
    struct Search: Hashable, Sendable {
        let words: String
        var matches: [MessageSearchPage.Match]?
        /// Whether every message of the history is on this device and was searched.
        var isComplete = true
        var selected = 0
    }

    /// A sentence for the reader, for some seconds.
    struct Notice: Hashable, Sendable {
        let text: String
        let isFailure: Bool
        let until: Timestamp
        /// Whether it tells of the last key only, so that the next one ends it.
        var isAboutKey = false
    }

    public let me: UserID
    /// The time zone of the shown times.
    let timeZone: TimeZone
    public internal(set) var size: GridSize
    var now = Timestamp(milliseconds: 0)
    public internal(set) var health = Health()
    public internal(set) var channels: [GroupChannel] = []
    var hasMoreChannels = false
    /// The highlighted channel of the list, while the list has the keys.
    var highlighted: ChannelURL?
    public internal(set) var conversation: Conversation?
    /// A question ends when the keys go elsewhere; the help gives them back to it.
    var focus = Focus.composer {
        didSet { if focus != .prompt, focus != .help { prompt = nil } }
    }
    /// The focus to which the help returns.
    var helpBack = Focus.composer
    /// The first row of the help that is on screen.
    var helpRow = 0
    var composer = Composer()
    /// The texts that an edit or a thread has set aside, the last one on top.
    var setAside: [String] = []
    /// Whether the composer differs from the draft on disk.
    var hasUnsavedDraft = false
    var isTyping = false
    var typing: [ChannelURL: [User]] = [:]
    var presence: [UserID: Bool] = [:]
    var presenceReadAt = Timestamp.distantPast
    var files: [String: FileState] = [:]
    var uploads: [RequestID: UploadProgress] = [:]
    var prompt: Prompt?
    /// The texts that came back for a place that was left, for the next time that it is opened.
    var leftTexts: [DraftPlace: String] = [:]
    /// The texts of edits that could not be made or were left, for the next edits of their messages.
    var refusedEdits: [MessageTarget: RefusedEdit] = [:]
    /// The path of a file that could not be sent, for the next question for one.
    var refusedPath: String?
    /// The people with whom no chat could be started, for the next question for them.
    var refusedPeople: String?
    var search: Search?
    /// The messages that failed; nil until they were read.
    var failures: Failures?
    var notice: Notice?
    /// The user whose chat is to be opened; nil once it was.
    var wanted: UserID?
    /// Whether the reader has cut the connection.
    var isCut = false

    public init(me: UserID, size: GridSize, timeZone: TimeZone) {
        self.me = me
        self.size = size
        self.timeZone = timeZone
    }

    /// The open channel, as far as the list has it.
    var openChannel: GroupChannel? {
        conversation.flatMap { open in channels.first { $0.url == open.channel } }
    }

    /// The place of the composer's draft; nil without an open channel.
    var draftPlace: DraftPlace? {
        conversation.map { DraftPlace($0.channel, thread: $0.thread?.id) }
    }

    /// The selected message, as it is shown.
    var selectedMessage: ShownMessage? {
        guard let conversation, let selected = conversation.selected else { return nil }
        return conversation.shown(to: me).first { $0.message.id == selected }
    }

    // MARK: Inputs

    /// Applies an input and returns the effects to perform, in this order.
    public mutating func receive(_ input: ChatInput) -> [ChatEffect] {
        // Any input may bring the newest message to the screen, such as a key or another size.
        apply(input) + markAsRead()
    }

    private mutating func apply(_ input: ChatInput) -> [ChatEffect] {
        guard ScreenLayout.isUsable(size) || !input.needsScreen else { return [] }
        switch input {
        case .key(let key): return take(key)
        case .paste(let text): return paste(text)
        case .mouse(let action): return point(action)
        case .resized(let size):
            self.size = size
            return []
        case .quit: return quit()
        case .tick(let now): return tick(now)
        case .health(let health):
            let wasConnected = self.health.connection.state == .connected
            self.health = health
            if !wasConnected, health.connection.state == .connected {
                return readPresence() + seek()
            }
        case .channels(let channels, let hasMore): return show(channels, hasMore)
        case .typing(let users, let channel):
            typing[channel] = users.isEmpty ? nil : users.filter { $0.id != me }
        case .presence(let states): presence.merge(states) { _, new in new }
        case .messages(let channel, let window):
            guard let before = conversation, before.channel == channel else { break }
            let deleted = conversation?.show(window)
            endEdit(ofDeleted: deleted)
            return pageBeyondReplies(after: before.messages.count)
        case .replies(let parent, let window):
            guard conversation?.thread?.id == parent else { break }
            let deleted = conversation?.showReplies(window)
            endEdit(ofDeleted: deleted)
        case .threadParent(let parent):
            guard let thread = conversation?.thread, thread.id == parent.messageID,
                thread.parent == nil
            else { break }
            conversation?.thread?.parent = parent
        case .pending(let channel, let changes):
            if conversation?.channel == channel { conversation?.pending = changes }
        case .holes(let channel, let holes):
            if conversation?.channel == channel { conversation?.holes = holes }
        case .draft(let place, let text): return take(draft: text, at: place)
        case .uploading(let request, let progress):
            uploads[request] = progress.sent < progress.total ? progress : nil
        case .file(let address, let state): return note(state, of: address)
        case .found(let words, let matches, let isComplete):
            guard search?.words == words else { break }
            search?.matches = matches
            search?.isComplete = isComplete
        case .searchFailed(let words, let reason):
            say(reason, isFailure: true)
            guard search?.words == words else { break }
            search = nil
            if focus == .results { focus = .composer }
        case .failures(let messages): show(failures: messages)
        case .historyDownload(let channel, let state, let messages):
            if conversation?.channel == channel { conversation?.download = (state, messages) }
        case .created(let channel):
            // The list of channels may have opened it before, and the reader is in one of its threads.
            return conversation?.channel == channel ? [] : open(channel)
        case .want(let user):
            wanted = user
            return seek()
        case .textRefused(let text, let place, let reason):
            return giveBack(text, to: place, because: reason)
        case .editRefused(let target, let channel, let text, let reason):
            let edit = RefusedEdit(text: text, place: DraftPlace(channel))
            return giveBack(edit, of: target, because: reason)
        case .changeRefused(let refusal): return note(refusal)
        case .fileRefused(let path, let reason):
            refusedPath = path
            say("Ctrl-U corrects the path: \(reason)", isFailure: true)
        case .chatRefused(let people, let reason):
            refusedPeople = people.map(\.rawValue).joined(separator: " ")
            say("Ctrl-T tries again: \(reason)", isFailure: true)
        case .failed(let sentence): say(sentence, isFailure: true)
        case .told(let sentence): say(sentence, isFailure: false)
        }
        return []
    }

    private mutating func tick(_ now: Timestamp) -> [ChatEffect] {
        self.now = now
        if let notice, notice.until < now { self.notice = nil }
        var effects = saveDraft() + (showsFailures ? [.readFailures] : [])
        if health.connection.state == .connected,
            presenceReadAt < now.moved(by: -20_000)
        {
            effects += readPresence()
        }
        return effects
    }

    private mutating func show(_ channels: [GroupChannel], _ hasMore: Bool) -> [ChatEffect] {
        let hadOpenChannel = openChannel != nil
        self.channels = channels
        hasMoreChannels = hasMore
        // A channel that is only further down in the list stays open.
        if hadOpenChannel, openChannel == nil, !hasMore { return leaveLostChannel() }
        if highlighted.map({ url in !channels.contains { $0.url == url } }) ?? true {
            highlighted = conversation?.channel ?? channels.first?.url
        }
        if wanted != nil { return seek() }
        guard conversation == nil, let first = channels.first else { return [] }
        return open(first.url)
    }

    /// Leaves a channel that the user has no more, for the first one of the list.
    private mutating func leaveLostChannel() -> [ChatEffect] {
        say(
            "This channel was deleted or hidden, or you are no longer in it.", isFailure: true)
        if let first = channels.first { return open(first.url) }
        let effects = leave()
        reset(nil)
        return effects
    }

    private mutating func note(_ state: FileState, of address: String) -> [ChatEffect] {
        files[address] = state
        switch state {
        case .saved(let path): say("Saved as \(path)", isFailure: false)
        case .failed(let reason): say("The file was not saved: \(reason)", isFailure: true)
        case .loading: break
        }
        return []
    }

    mutating func say(_ sentence: String, isFailure: Bool) {
        notice = Notice(
            text: sentence, isFailure: isFailure,
            until: now.moved(by: 6_000))
    }

    // MARK: Channels

    /// Opens the chat with the wanted user, or has the server make it.
    private mutating func seek() -> [ChatEffect] {
        guard let user = wanted else { return [] }
        let known = channels.first { channel in
            channel.isDistinct && Set(channel.members.map(\.id)) == [me, user]
        }
        if let known {
            wanted = nil
            return open(known.url)
        }
        guard health.connection.state == .connected else { return [] }
        wanted = nil
        return [.createChannel([user])]
    }

    /// Opens a channel at a moment, nil for its newest messages.
    mutating func open(
        _ channel: ChannelURL, at moment: Timestamp? = nil, wanting message: MessageID? = nil
    ) -> [ChatEffect] {
        if conversation?.channel == channel, conversation?.thread == nil {
            highlighted = channel
            giveUpSelection()
            conversation?.wanted = message
            conversation?.anchor = nil
            return moment.map { [.jump($0)] } ?? []
        }
        let effects = leave()
        reset(Conversation(channel))
        conversation?.wanted = message
        return effects + [.open(channel, at: moment)] + readPresence()
    }

    /// Puts another conversation in the place of the open one, without a text.
    private mutating func reset(_ conversation: Conversation?) {
        giveUpSelection()
        self.conversation = conversation
        highlighted = conversation?.channel
        composer = Composer()
        setAside = []
    }

    /// Ends the selection of a message, with a question about it.
    private mutating func giveUpSelection() {
        conversation?.selected = nil
        if focus == .messages || prompt?.isAboutMessage == true { focus = .composer }
    }

    /// Leaves the composer's place: keeps the draft, and ends the typing.
    mutating func leave() -> [ChatEffect] {
        keepEdit()
        defer { conversation?.editing = nil }
        return saveDraft() + endTyping()
    }

    mutating func saveDraft() -> [ChatEffect] {
        guard hasUnsavedDraft, let place = draftPlace, conversation?.editing == nil else {
            return []
        }
        hasUnsavedDraft = false
        return [.saveDraft(composer.text, place)]
    }

    mutating func endTyping() -> [ChatEffect] {
        guard isTyping, let channel = conversation?.channel else { return [] }
        isTyping = false
        return [.endTyping(channel)]
    }

    /// Whether the messages of the channel or the thread are on screen, and nothing in their place.
    var showsTimeline: Bool {
        focus != .help && (focus != .results || search == nil) && !showsFailures
            && ScreenLayout(self).timeline.rows > 0
    }

    /// Marks the open channel as read, if its newest message is on screen.
    private mutating func markAsRead() -> [ChatEffect] {
        guard let channel = openChannel, channel.unreadMessageCount > 0,
            let conversation, conversation.thread == nil, conversation.followsNewest,
            conversation.ends.isLoaded,
            let newest = conversation.messages.last(where: { $0.position != nil })?.position,
            newest > conversation.markedThrough, showsTimeline
        else { return [] }
        self.conversation?.markedThrough = newest
        return [.markAsRead(channel.url, through: newest.createdAt)]
    }

    private mutating func readPresence() -> [ChatEffect] {
        guard health.connection.state == .connected, let channel = openChannel else { return [] }
        let others = channel.members.map(\.id).filter { $0 != me }.prefix(20)
        guard !others.isEmpty else { return [] }
        presenceReadAt = now
        return [.readPresence(Array(others))]
    }
}

extension Timestamp {
    /// Returns a later or an earlier moment, the last or the first one at the limits.
    func moved(by count: Int64) -> Timestamp {
        let (sum, overflows) = milliseconds.addingReportingOverflow(count)
        return overflows
            ? (count > 0 ? .distantFuture : .distantPast) : Timestamp(milliseconds: sum)
    }
}

extension ChatState {
    /// Returns the state on a screen of another size.
    public func resized(to size: GridSize) -> ChatState {
        var state = self
        state.size = size
        return state
    }
}
