// SPDX-License-Identifier: Apache-2.0

import Roost

extension ChatState {
    /// The reactions that one key adds, with the digits 1 to 8.
    static let reactions = ["👍", "❤", "😂", "🎉", "😮", "😢", "🙏", "👀"]

    /// Applies a key.
    mutating func take(_ key: Key) -> [ChatEffect] {
        if notice?.isAboutKey == true { notice = nil }
        if focus != .help, let effects = pressAnywhere(key) { return effects }
        switch focus {
        case .help: return pressInHelp(key)
        case .prompt: return pressInPrompt(key)
        case .channels: return pressInChannels(key)
        case .messages: return pressInMessages(key)
        case .results: return pressInResults(key)
        case .failures: return pressInFailures(key)
        case .composer: return pressInComposer(key)
        }
    }

    /// Applies a key that means the same everywhere; nil for all others.
    private mutating func pressAnywhere(_ key: Key) -> [ChatEffect]? {
        switch key {
        case .control("q"), .control("c"): return quit()
        case .control("l"): return [.repaint]
        case .function(1):
            (helpBack, helpRow) = (focus, 0)
            focus = .help
            return []
        case .control("n"): return step(by: 1)
        case .control("p"): return step(by: -1)
        case .control("f"): return ask(.search)
        case .control("t"): return ask(.newChannel)
        case .control("g"): return listFailures()
        case .control("u"): return conversation == nil ? [] : ask(.attach)
        case .control("o"):
            isCut.toggle()
            return [isCut ? .disconnect : .connect]
        case .control("d"):
            guard let conversation else { return [] }
            return [
                conversation.isFetching
                    ? .pauseDownload : .downloadHistory(conversation.channel)
            ]
        case .pageUp: return scroll(by: pageRows)
        case .pageDown: return scroll(by: -pageRows)
        default: return nil
        }
    }

    /// The rows that a page key moves.
    private var pageRows: Int { max(ScreenLayout(self).timeline.rows - 2, 1) }

    /// Opens the channel so many places below the open one; behind the last one comes the first.
    ///
    /// More channels are asked for before the last one is reached.
    private mutating func step(by count: Int) -> [ChatEffect] {
        guard !channels.isEmpty else { return [] }
        // A list of messages would hide the channel, also one under a question.
        if showsFailures || focus == .results { focus = .composer }
        let index = channels.firstIndex { $0.url == conversation?.channel } ?? 0
        let place = (index + count + channels.count) % channels.count
        return open(channels[place].url) + loadMore(at: place)
    }

    mutating func ask(_ kind: Prompt.Kind) -> [ChatEffect] {
        prompt = Prompt(kind: kind, back: prompt?.back ?? focus)
        focus = .prompt
        // An answer that was refused is there again, and the notice about it has done its work.
        var refused: String?
        switch kind {
        case .attach: swap(&refused, &refusedPath)
        case .newChannel: swap(&refused, &refusedPeople)
        case .search, .reaction, .discard, .discardFailed: break
        }
        if let refused {
            prompt?.answer = Composer(refused)
            notice = nil
        }
        return []
    }

    /// Gives the keys back to a place, or to the composer if what they were for is gone.
    mutating func giveBack(to place: Focus) {
        let isEmpty =
            place == .messages && conversation?.selected == nil
            || place == .results && search == nil
        focus = isEmpty ? .composer : place
    }

    // MARK: Help

    private mutating func pressInHelp(_ key: Key) -> [ChatEffect] {
        let page = max(size.rows - 2, 1)
        let hasMore = HelpPane(self).lastRow > 0
        switch key {
        case .up where hasMore: scrollHelp(by: -1)
        case .down where hasMore: scrollHelp(by: 1)
        case .pageUp where hasMore: scrollHelp(by: -page)
        case .pageDown where hasMore: scrollHelp(by: page)
        default:
            giveBack(to: helpBack)
            // A key that means the same everywhere does so here.
            return key == .function(1) ? [] : pressAnywhere(key) ?? []
        }
        return []
    }

    mutating func scrollHelp(by rows: Int) {
        helpRow = min(max(helpRow + rows, 0), HelpPane(self).lastRow)
    }

    // MARK: Composer

    private mutating func pressInComposer(_ key: Key) -> [ChatEffect] {
        switch key {
        case .enter: return send()
        case .tab, .backTab:
            focus = .channels
            return []
        case .escape: return goBack()
        case .up where !composer.before.contains("\n"):
            focus = .messages
            return select(by: -1)
        case .end where composer.isEmpty: return followNewest()
        default: return type(key)
        }
    }

    /// Adds a pasted text to the question that is open, or to the message.
    mutating func paste(_ text: String) -> [ChatEffect] {
        if focus == .prompt {
            let line = text.split(whereSeparator: { $0.isNewline || $0 == "\t" })
            noteCut(prompt?.answer.paste(line.joined(separator: " ")))
            return []
        }
        guard conversation != nil else { return [] }
        noteCut(composer.paste(text))
        return text.isEmpty ? [] : noteChange()
    }

    private mutating func noteCut(_ isWhole: Bool?) {
        guard isWhole == false else { return }
        say(
            "The pasted text was cut: there is room for \(Composer.maxBytes / 1_024) kB.",
            isFailure: true)
    }

    /// Changes the message by a key.
    private mutating func type(_ key: Key) -> [ChatEffect] {
        guard conversation != nil else { return [] }
        let old = composer.text
        guard composer.apply(key), composer.text != old else { return [] }
        return noteChange()
    }

    /// Notes that the message is another one than that of its draft.
    private mutating func noteChange() -> [ChatEffect] {
        if focus == .messages { conversation?.selected = nil }
        focus = .composer
        guard conversation?.editing == nil else { return [] }
        hasUnsavedDraft = true
        guard let channel = conversation?.channel, !composer.isEmpty else { return endTyping() }
        isTyping = true
        return [.startTyping(channel)]
    }

    private mutating func send() -> [ChatEffect] {
        guard let conversation else { return [] }
        let text = composer.text.trimmed
        guard !text.isEmpty else { return [] }
        composer = Composer()
        let channel = conversation.channel
        if let target = conversation.editing {
            endEditing()
            return [.edit(target, channel, text: text)]
        }
        let place = DraftPlace(channel, thread: conversation.thread?.id)
        hasUnsavedDraft = false
        return endTyping() + followNewest() + [
            .send(text, channel, thread: conversation.thread?.id), .saveDraft("", place),
        ]
    }

    /// Leaves the innermost thing: an edit, a thread, an older part of the history.
    private mutating func goBack() -> [ChatEffect] {
        if conversation?.editing != nil {
            endEditing()
            return []
        }
        if conversation?.thread != nil {
            let effects = leave()
            conversation?.thread = nil
            conversation?.selected = nil
            conversation?.anchor = nil
            takeUp()
            return effects + [.closeThread]
        }
        return followNewest()
    }

    // MARK: Channels

    private mutating func pressInChannels(_ key: Key) -> [ChatEffect] {
        let index = channels.firstIndex { $0.url == highlighted } ?? 0
        switch key {
        case .up: return highlight(index - 1)
        case .down: return highlight(index + 1)
        case .home: return highlight(0)
        case .end: return highlight(channels.count - 1)
        case .enter, .right:
            focus = .composer
            return highlighted.map { open($0) } ?? []
        case .tab, .backTab, .escape:
            focus = .composer
            return []
        default: return []
        }
    }

    /// Highlights a channel of the list, the first or the last one for an index outside of it.
    mutating func highlight(_ index: Int) -> [ChatEffect] {
        guard !channels.isEmpty else { return [] }
        let place = min(max(index, 0), channels.count - 1)
        highlighted = channels[place].url
        return loadMore(at: place)
    }

    /// Asks for more channels, if there are some, near the end of the list.
    private func loadMore(at place: Int) -> [ChatEffect] {
        place >= channels.count - 3 && hasMoreChannels ? [.loadMoreChannels] : []
    }

    // MARK: Prompt

    private mutating func pressInPrompt(_ key: Key) -> [ChatEffect] {
        guard let prompt else {
            focus = .composer
            return []
        }
        switch (prompt.kind, key) {
        case (_, .escape):
            close(prompt)
            return []
        case (.reaction(let target), .character(let digit)):
            close(prompt)
            guard let place = Int(String(digit)), Self.reactions.indices.contains(place - 1) else {
                return []
            }
            return react(Self.reactions[place - 1], to: target)
        case (.reaction, _): return []
        case (.discard(let target), .character("y")):
            close(prompt)
            return remove(target)
        case (.discardFailed(let request, let channel), .character("y")):
            close(prompt)
            return [.discard(request, channel), .readFailures]
        case (.discard, _), (.discardFailed, _):
            close(prompt)
            return []
        case (_, .enter):
            close(prompt)
            return answer(prompt)
        default:
            _ = self.prompt?.answer.apply(key)
            return []
        }
    }

    private mutating func close(_ prompt: Prompt) {
        giveBack(to: prompt.back)
    }

    private mutating func answer(_ prompt: Prompt) -> [ChatEffect] {
        let text = prompt.answer.text.trimmed
        guard !text.isEmpty else { return [] }
        switch prompt.kind {
        case .search:
            search = Search(words: text)
            focus = .results
            return [.search(text)]
        case .attach:
            guard let conversation else { return [] }
            focus = .composer
            return followNewest() + [
                .sendFile(path: text, conversation.channel, thread: conversation.thread?.id)
            ]
        case .newChannel:
            let names = text.split { $0 == " " || $0 == "," }.map { UserID(String($0)) }
            guard !names.isEmpty else { return refuse("Name a user ID.") }
            focus = .composer
            return [.createChannel(names)]
        case .reaction, .discard, .discardFailed: return []
        }
    }

    // MARK: Found messages

    private mutating func pressInResults(_ key: Key) -> [ChatEffect] {
        let count = search?.matches?.count ?? 0
        let selected = search?.selected ?? 0
        switch key {
        case .up: search?.selected = max(selected - 1, 0)
        case .down: search?.selected = min(selected + 1, max(count - 1, 0))
        case .escape:
            search = nil
            focus = .composer
        case .enter:
            guard let search, let matches = search.matches,
                matches.indices.contains(search.selected)
            else { return [] }
            return openFound(matches[search.selected].message)
        default: break
        }
        return []
    }

    /// Opens a found message, a reply in its thread.
    mutating func openFound(_ message: Message) -> [ChatEffect] {
        search = nil
        let effects: [ChatEffect]
        if let parent = message.parentID, message.isOnlyInThread {
            effects = openReply(message, to: parent)
        } else {
            effects = open(message.channelURL, at: message.createdAt, wanting: message.messageID)
        }
        // The message is selected when it comes.
        focus = .messages
        return effects
    }

    private mutating func openReply(_ reply: Message, to parent: MessageID) -> [ChatEffect] {
        if conversation?.channel == reply.channelURL, conversation?.thread?.id == parent {
            conversation?.thread?.wanted = reply.messageID
            conversation?.anchor = nil
            return [.jump(reply.createdAt)]
        }
        let effects = open(reply.channelURL)
        return effects + enterThread(parent, at: reply.createdAt, wanting: reply.messageID)
    }
}

extension String {
    /// The text without spaces and line ends at both ends.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
