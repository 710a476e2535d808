// SPDX-License-Identifier: Apache-2.0

import Roost

/// The reader's way through the timeline, and the keys for one message.
extension ChatState {
    /// Moves the timeline by rows, or the list in its place; positive numbers go to older messages.
    mutating func scroll(by rows: Int) -> [ChatEffect] {
        if focus == .results || focus == .failures {
            let key = rows > 0 ? Key.up : .down
            for _ in 0..<max(abs(rows) / MessageListPane.rowsEach, 1) { _ = take(key) }
            return []
        }
        guard conversation != nil, showsTimeline else { return [] }
        let pane = TimelinePane(self, ScreenLayout(self).timeline)
        let (anchor, isAtTop) = pane.anchor(scrolledBy: rows)
        conversation?.anchor = anchor
        return page(isAtTop: isAtTop)
    }

    /// Asks for the page that the reader has come to.
    private mutating func page(isAtTop: Bool) -> [ChatEffect] {
        guard let open = conversation, !open.shownEnds.isPaging, open.shownEnds.isLoaded else {
            return []
        }
        if isAtTop, open.shownEnds.hasOlder {
            conversation?.shownEnds.isPaging = true
            return [.loadOlder]
        }
        if open.anchor == nil, open.shownEnds.hasNewer {
            conversation?.shownEnds.isPaging = true
            return [.loadNewer]
        }
        return []
    }

    /// Asks for older messages if all known ones are replies of threads, which the channel does not
    /// show; `count` is the number of messages before the page.
    mutating func pageBeyondReplies(after count: Int) -> [ChatEffect] {
        guard let open = conversation, open.thread == nil, open.messages.count > count,
            open.shown(to: me).isEmpty
        else { return [] }
        return page(isAtTop: true)
    }

    /// Shows the newest messages, and follows them.
    mutating func followNewest() -> [ChatEffect] {
        conversation?.anchor = nil
        conversation?.selected = nil
        if focus == .messages { focus = .composer }
        guard let open = conversation,
            open.shownEnds.hasNewer || open.hasHugeGap && open.thread == nil
        else { return [] }
        return [.jump(.distantFuture)]
    }

    /// Selects the message so many places below the selected one.
    mutating func select(by count: Int) -> [ChatEffect] {
        guard let open = conversation else { return [] }
        let shown = open.shown(to: me)
        guard !shown.isEmpty else {
            focus = .composer
            return []
        }
        var index = shown.count - 1
        if let selected = open.selected,
            let place = shown.firstIndex(where: { $0.message.id == selected })
        {
            index = place + count
            if index >= shown.count, !open.shownEnds.hasNewer { return followNewest() }
        }
        let isAtTop = index < 0
        index = min(max(index, 0), shown.count - 1)
        conversation?.selected = shown[index].message.id
        let pane = TimelinePane(self, ScreenLayout(self).timeline)
        conversation?.anchor = pane.anchor(showing: index)
        return page(isAtTop: isAtTop || (index == 0 && count < 0))
    }

    mutating func pressInMessages(_ key: Key) -> [ChatEffect] {
        switch key {
        case .up: return select(by: -1)
        case .down: return select(by: 1)
        case .home: return select(by: -1_000)
        case .end: return followNewest()
        case .escape:
            conversation?.selected = nil
            conversation?.anchor = nil
            focus = .composer
            return []
        case .tab, .backTab:
            conversation?.selected = nil
            focus = .channels
            return []
        case .enter: return openThread()
        case .delete: return askToDelete()
        case .character(let letter): return pressLetter(letter)
        default: return []
        }
    }

    private mutating func pressLetter(_ letter: Unicode.Scalar) -> [ChatEffect] {
        guard let shown = selectedMessage, !shown.isDeleted else { return [] }
        let message = shown.message
        switch letter {
        case "r":
            guard message.messageID != nil else { return refuse(Self.reactsLater) }
            return ask(.reaction(message.target))
        case "t": return openThread()
        case "d": return askToDelete()
        case "e":
            guard isMine(message) else { return refuse("Only your own messages can be edited.") }
            guard case .user(let text) = message.content else {
                return refuse("This message has no text to edit.")
            }
            // An edit has set the text before it aside already.
            let wasEditing = conversation?.editing != nil
            var effects = leave()
            if !wasEditing { setAside.append(composer.text) }
            conversation?.editing = message.target
            composer = Composer(text)
            if let (text, forgetting) = takeRefusedEdit(of: message.target) {
                composer = Composer(text)
                notice = nil
                effects += forgetting
            }
            focus = .composer
            return effects
        case "s":
            let files = message.files
            return files.isEmpty ? refuse("This message has no file.") : files.map { .save($0) }
        case "x":
            guard case .unsent(let request, .failed) = message.delivery else {
                return refuse("Only a failed message is sent again.")
            }
            return [.resend(request)]
        default:
            guard let place = Int(String(letter)), Self.reactions.indices.contains(place - 1) else {
                return []
            }
            guard message.messageID != nil else { return refuse(Self.reactsLater) }
            return react(Self.reactions[place - 1], to: message.target)
        }
    }

    private static let reactsLater = "A message takes reactions once the server has it."

    /// Says why a key does nothing here, until the next one.
    mutating func refuse(_ reason: String) -> [ChatEffect] {
        say(reason, isFailure: true)
        notice?.isAboutKey = true
        return []
    }

    private func isMine(_ message: Message) -> Bool {
        message.sender?.user.id == me || message.messageID == nil
    }

    private mutating func askToDelete() -> [ChatEffect] {
        guard let shown = selectedMessage, !shown.isDeleted else { return [] }
        guard isMine(shown.message) else {
            return refuse("Only your own messages can be deleted.")
        }
        return ask(.discard(shown.message.target))
    }

    /// Deletes a message, or gives an unsent one up.
    mutating func remove(_ target: MessageTarget) -> [ChatEffect] {
        guard let channel = conversation?.channel else { return [] }
        if conversation?.editing == target { endEditing() }
        conversation?.selected = nil
        conversation?.anchor = nil
        focus = .composer
        switch target {
        case .delivered: return [.delete(target, channel)]
        case .unsent(let request): return [.discard(request, channel)]
        }
    }

    /// Adds a reaction, or removes the reader's own.
    mutating func react(_ key: String, to target: MessageTarget) -> [ChatEffect] {
        guard let open = conversation else { return [] }
        let message = open.shown(to: me).first { $0.message.target == target }?.message
        let mine = message?.details.reactions?.contains { reaction in
            reaction.key == key && reaction.userIDs.contains(me)
        }
        return mine == true
            ? [.removeReaction(key, target, open.channel)]
            : [.addReaction(key, target, open.channel)]
    }

    private mutating func openThread() -> [ChatEffect] {
        guard let shown = selectedMessage, !shown.isDeleted, conversation?.thread == nil else {
            return []
        }
        guard let id = shown.message.messageID else {
            return refuse("A message has a thread once the server has it.")
        }
        return enterThread(id)
    }

    /// Opens the thread of a message at a moment, nil for its newest replies.
    mutating func enterThread(
        _ id: MessageID, at moment: Timestamp? = nil, wanting reply: MessageID? = nil
    ) -> [ChatEffect] {
        guard let channel = conversation?.channel else { return [] }
        if conversation?.editing != nil {
            keepEdit()
            takeUp()
        }
        conversation?.editing = nil
        let effects = leave()
        setAside.append(composer.text)
        let parent = conversation?.messages.last { $0.messageID == id }
        conversation?.thread = Conversation.Thread(id: id, parent: parent, wanted: reply)
        conversation?.selected = nil
        conversation?.anchor = nil
        composer = Composer()
        focus = .composer
        return effects + [.openThread(channel, id, at: moment)]
    }

    // MARK: Mouse

    /// Applies an action of the mouse.
    mutating func point(_ action: MouseAction) -> [ChatEffect] {
        let layout = ScreenLayout(self)
        switch action.kind {
        case .wheelUp, .wheelDown:
            let rows = action.kind == .wheelUp ? 3 : -3
            if focus == .help {
                scrollHelp(by: -rows)
                return []
            }
            if layout.list.contains(action.row, action.column) {
                let index = channels.firstIndex { $0.url == highlighted } ?? 0
                return highlight(index - rows.signum())
            }
            return scroll(by: rows)
        case .press: return press(at: action.row, action.column, layout)
        }
    }

    private mutating func press(
        at row: Int, _ column: Int, _ layout: ScreenLayout
    ) -> [ChatEffect] {
        if let key = KeyLine(self).key(at: row, column, layout) { return take(key) }
        if focus == .help {
            giveBack(to: helpBack)
            return []
        }
        if layout.list.contains(row, column) {
            guard let channel = ChannelPane(self, layout.list).channel(at: row) else { return [] }
            focus = .composer
            return open(channel)
        }
        if layout.composer.contains(row, column) {
            // A question has the place of the message.
            guard focus != .prompt else { return [] }
            if focus == .messages { conversation?.selected = nil }
            focus = .composer
            return []
        }
        guard layout.timeline.contains(row, column) else { return [] }
        if let list = MessageListPane(self, layout.timeline) {
            guard let index = list.index(at: row) else { return [] }
            return choose(index)
        }
        guard let message = TimelinePane(self, layout.timeline).message(at: row) else { return [] }
        conversation?.selected = message
        focus = .messages
        return []
    }
}

extension Message {
    /// The message as the target of a change.
    var target: MessageTarget {
        switch delivery {
        case .delivered(let id, _): .delivered(id)
        case .unsent(let request, _): .unsent(request)
        }
    }

    /// The files of the message, the first one included.
    var files: [FileContent] {
        guard case .file(let file) = content else { return [] }
        return file.files.isEmpty ? [file] : file.files
    }
}
