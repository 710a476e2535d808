// SPDX-License-Identifier: Apache-2.0

import Roost

extension ChatState {
    /// The reactions that one key adds, with the digits 1 to 8.
    static let reactions = ["👍", "❤", "😂", "🎉", "😮", "😢", "🙏", "👀"]

    /// Applies a key.
    mutating func take(_ key: Key) -> [ChatEffect] {
        if let effects = pressAnywhere(key) { return effects }
        switch focus {
        case .help:
            focus = .composer
            return []
        case .prompt: return pressInPrompt(key)
        case .channels: return pressInChannels(key)
        case .messages: return pressInMessages(key)
        case .results: return pressInResults(key)
        case .composer: return pressInComposer(key)
        }
    }

    /// Applies a key that means the same everywhere; nil for all others.
    private mutating func pressAnywhere(_ key: Key) -> [ChatEffect]? {
        switch key {
        case .control("q"), .control("c"): return leave() + [.quit]
        case .control("l"): return [.repaint]
        case .function(1):
            focus = focus == .help ? .composer : .help
            return []
        case .control("n"): return step(by: 1)
        case .control("p"): return step(by: -1)
        case .control("f"): return ask(.search)
        case .control("t"): return ask(.newChannel)
        case .control("u"): return conversation == nil ? [] : ask(.attach)
        case .control("o"):
            isCut.toggle()
            return [isCut ? .disconnect : .connect]
        case .control("d"):
            guard let conversation else { return [] }
            return [
                conversation.download?.state == .running
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
    private mutating func step(by count: Int) -> [ChatEffect] {
        guard !channels.isEmpty else { return [] }
        let index = channels.firstIndex { $0.url == conversation?.channel } ?? 0
        return open(channels[(index + count + channels.count) % channels.count].url)
    }

    mutating func ask(_ kind: Prompt.Kind) -> [ChatEffect] {
        let back: Focus = focus == .prompt || focus == .help ? .composer : focus
        prompt = Prompt(kind: kind, back: back)
        if kind == .attach {
            prompt?.answer = Composer(refusedPath ?? "")
            refusedPath = nil
        }
        focus = .prompt
        return []
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
            takeUp()
            return effects + [.closeThread]
        }
        return followNewest()
    }

    /// Ends an edit: no message is marked any more, and the text from before it is back.
    private mutating func endEditing() {
        conversation?.editing = nil
        conversation?.selected = nil
        takeUp()
    }

    /// Puts the text back that an edit or a thread has set aside.
    mutating func takeUp() { composer = Composer(setAside.popLast() ?? "") }

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

    private mutating func highlight(_ index: Int) -> [ChatEffect] {
        guard !channels.isEmpty else { return [] }
        let place = min(max(index, 0), channels.count - 1)
        highlighted = channels[place].url
        return place >= channels.count - 3 && hasMoreChannels ? [.loadMoreChannels] : []
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
        case (.discard, _):
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
        focus = prompt.back
        self.prompt = nil
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
            focus = .composer
            return [.createChannel(names)]
        case .reaction, .discard: return []
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
            return openMatch(matches[search.selected])
        default: break
        }
        return []
    }

    mutating func openMatch(_ match: MessageSearchPage.Match) -> [ChatEffect] {
        search = nil
        focus = .messages
        let message = match.message
        return open(message.channelURL, at: message.createdAt, wanting: message.messageID)
    }
}

extension String {
    /// The text without spaces and line ends at both ends.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
