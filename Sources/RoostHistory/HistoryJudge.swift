// SPDX-License-Identifier: Apache-2.0

/// The judge of histories: takes lines, and comes to a verdict about them.
///
/// Each line is looked at once, and only the facts that a later one may contradict are kept. The
/// order of two clients is never compared: only the server's places of messages order them. So
/// everything that needs the log waits for the verdict, for a log may be the last line of the last
/// file.
package struct HistoryJudge: Sendable {
    let files: [String]
    var clients = ClientBook()
    var channels: [ChannelBook] = []
    private var channelIndices: [String: Int32] = [:]
    var requests = RequestBook()
    /// The names of users.
    var names = TextTable()
    /// The texts of messages.
    var texts = TextTable()
    var findings = Findings()
    var counts = Verdict.Counts()

    /// - Parameter files: The names of the files, for sentences.
    package init(files: [String]) {
        self.files = files
    }

    /// Whether a client of this name has written a line.
    package func knows(client: String) -> Bool { clients.index(of: client) != nil }

    /// Takes the next line of a file.
    ///
    /// - Throws: An error if the line is out of its client's order, or the history is too large.
    package mutating func take(
        _ line: HistoryLine, at place: HistoryPlace
    ) throws(HistoryFault) {
        let client = try client(of: line, at: place)
        counts.lines += 1
        guard counts.lines <= HistoryLimits.lines, texts.count < HistoryLimits.objects,
            requests.count < HistoryLimits.objects
        else { throw HistoryFault(line: Int(place.line), "The history is too large.") }
        let here = Here(client: client, number: line.number, place: place)
        switch line.fact {
        case .start: break
        case .refused(let id?, let code, let channel, let action, let request):
            let channel = index(of: channel)
            let message = channels[channel].number(of: id, hint: 0)
            let known = action.flatMap { HistoryCall.Known(rawValue: $0) }
            let user = clients[client].user
            channels[channel].queue.refuse(message, known, to: user)
            // Without a code the change was dropped, and may have been made before.
            guard known == .delete, code != nil else { break }
            let number = request.map { requests.number(of: $0, by: user) } ?? 0
            channels[channel].deletions.refuse(message, number, to: user)
        case .refused(nil, _, _, _, _): break
        case .call(let call): take(call, here)
        case .answer(let answer): take(answer, here)
        case .acknowledged(let message, let channel): acknowledge(message, in: channel, here)
        case .edited(let id, let text, let channel): acknowledgeEdit(id, text, in: channel, here)
        case .deleted(let id, let channel):
            let channel = index(of: channel)
            let message = channels[channel].number(of: id, hint: 0)
            channels[channel][message].hasAcknowledgedDeletion = true
            channels[channel].deletions.acknowledge(
                message, by: client, at: line.number, place)
        case .failed(let request, _, _), .canceled(let request, _): setAside(request, here)
        case .change(let change): take(change, here)
        case .snapshot(let view): take(view, isLog: false, here)
        case .log(let view): take(view, isLog: true, here)
        }
    }

    /// The place of the line that is being taken.
    private struct Here {
        let client: Int32
        let number: Int64
        let place: HistoryPlace
    }

    private mutating func client(
        of line: HistoryLine, at place: HistoryPlace
    ) throws(HistoryFault) -> Int32 {
        do throws(ClientBook.Sentence) {
            guard case .start(let start) = line.fact else {
                return try clients.advance(line.client, to: line.number)
            }
            guard start.form == HistoryLimits.form else {
                throw ClientBook.Sentence(
                    text: "The history has the form \(start.form); this release reads form "
                        + "\(HistoryLimits.form).")
            }
            let user = start.user.map { names.number(of: $0) } ?? 0
            return try clients.start(line.client, at: line.number, user: user)
        } catch {
            throw HistoryFault(line: Int(place.line), error.text)
        }
    }

    private mutating func index(of channel: String) -> Int {
        if let known = channelIndices[channel] { return Int(known) }
        channelIndices[channel] = Int32(clamping: channels.count)
        channels.append(ChannelBook(name: channel))
        return channels.count - 1
    }
}

// MARK: - Calls and their ends

extension HistoryJudge {
    private mutating func take(_ call: HistoryCall, _ here: Here) {
        switch (HistoryCall.Known(rawValue: call.name), call.channel) {
        case (.send, let channel?), (.sendFile, let channel?):
            let channel = index(of: channel)
            channels[channel].noteAction(of: here.client, at: here.number)
            clients[here.client].openSends[here.number] = ClientBook.OpenSend(
                channel: Int32(clamping: channel), text: texts.number(of: call.text ?? ""))
        case (.edit, let channel?):
            guard let id = call.message, let text = call.text else { return }
            let channel = index(of: channel)
            channels[channel].noteAction(of: here.client, at: here.number)
            let message = channels[channel].number(of: id, hint: 0)
            let number = texts.number(of: text)
            channels[channel].edits.call(message, number, by: here.client, at: here.number)
            clients[here.client].openChanges[here.number] = ClientBook.OpenChange(
                channel: channel, message: message, text: number)
        case (.delete, let channel?):
            guard let id = call.message else { return }
            let channel = index(of: channel)
            channels[channel].noteAction(of: here.client, at: here.number)
            let message = channels[channel].number(of: id, hint: 0)
            channels[channel].deletions.call(
                message, by: here.client, of: clients[here.client].user, at: here.number)
            clients[here.client].openChanges[here.number] = ClientBook.OpenChange(
                channel: channel, message: message)
        case (.resend, _):
            guard let request = call.request else { return }
            let channel = setAside(request, here)
            let number = requests.number(of: request, by: clients[here.client].user)
            requests[number].isSentAgain = true
            if channel >= 0 {
                channels[Int(channel)].noteAction(of: here.client, at: here.number)
            }
        case (.cancel, _):
            if let request = call.request { setAside(request, here) }
        case (.snapshot, let channel?):
            let channel = index(of: channel)
            clients[here.client].viewCall = ClientBook.ViewCall(
                number: here.number, channel: Int32(clamping: channel),
                known: channels[channel].end(for: here.client))
        case (.send, nil), (.sendFile, nil), (.edit, nil), (.delete, nil), (.snapshot, nil),
            (nil, _):
            break
        }
    }

    private mutating func take(_ answer: HistoryAnswer, _ here: Here) {
        if let change = clients[here.client].openChanges.removeValue(forKey: answer.call) {
            guard answer.isOK else { return }
            channels[change.channel].queue.note(
                QueueBook.Change(call: answer.call, text: change.text, place: here.place),
                of: change.message, by: here.client)
            return
        }
        guard answer.isOK, let id = answer.request,
            let send = clients[here.client].openSends.removeValue(forKey: answer.call)
        else { return }
        let request = requests.number(of: id, by: clients[here.client].user)
        guard !requests[request].hasCall else { return }
        requests[request].client = here.client
        requests[request].call = answer.call
        requests[request].answer = here.place
        requests[request].calledChannel = send.channel
        requests[request].text = send.text
    }

    /// Takes a message out of the order of calls: a resend goes to the end of its queue.
    ///
    /// - Returns: The channel for which it was sent; -1 if that is unknown.
    @discardableResult
    private mutating func setAside(_ id: String, _ here: Here) -> Int32 {
        let request = requests.number(of: id, by: clients[here.client].user)
        requests[request].isOutOfOrder = true
        return requests[request].calledChannel
    }

    private mutating func acknowledge(
        _ message: HistoryMessage, in channel: String, _ here: Here
    ) {
        let channel = index(of: channel)
        let shown = sight(message, in: channel, hint: 0, isAcknowledgement: true, here)
        if channels[channel][shown.number].acknowledged == nil {
            channels[channel][shown.number].acknowledged = here.place
            counts.acknowledgedSends += 1
        }
        channels[channel].extend(to: message.position, for: here.client)
    }

    private mutating func acknowledgeEdit(
        _ id: Int64, _ text: String, in channel: String, _ here: Here
    ) {
        let channel = index(of: channel)
        let message = channels[channel].number(of: id, hint: 0)
        channels[channel][message].hasAcknowledgedEdit = true
        channels[channel].edits.acknowledge(
            message, texts.number(of: text), by: here.client, at: here.number, here.place)
    }
}

// MARK: - Messages as clients showed them

extension HistoryJudge {
    private mutating func take(_ change: HistoryChange, _ here: Here) {
        let channel = index(of: change.channel)
        for message in change.inserted + change.updated {
            _ = sight(message, in: channel, hint: 0, isAcknowledgement: false, here)
            channels[channel].extend(to: message.position, for: here.client)
        }
    }

    private mutating func take(_ view: HistoryView, isLog: Bool, _ here: Here) {
        let channel = index(of: view.channel)
        channels[channel].views.begin(
            view, isLog: isLog, of: here.client, at: here.number, here.place)
        let call = view.call ?? here.number
        var (hint, isOrdered) = (0 as Int32, true)
        for message in view.messages {
            let shown = sight(message, in: channel, hint: hint, isAcknowledgement: false, here)
            hint = shown.number &+ 1
            let isBehind = channels[channel].views.add(
                shown.number, at: message.position, text: shown.otherText)
            if !isBehind, isOrdered {
                isOrdered = false
                findings.add(
                    .oneOrder, at: here.place, channels[channel].name, message.id,
                    request: message.request,
                    expected: "each message once, in the order of the server's times and IDs",
                    seen: "it stands behind a message of the same or a later place")
            }
            if !isLog { compare(message, shown, in: channel, call, here) }
        }
        // A client must show the messages that it knew before it took the view.
        if let known = clients[here.client].viewCall, known.number == view.call {
            if Int(known.channel) == channel { channels[channel].views.setKnown(known.known) }
        } else if view.call == nil {
            channels[channel].views.setKnown(channels[channel].end(for: here.client))
        }
        if let last = view.messages.last {
            channels[channel].extend(to: last.position, for: here.client)
        }
        counts.snapshots += isLog ? 0 : 1
    }

    /// Compares a message of a snapshot with the changes that the client knew to be made.
    private mutating func compare(
        _ message: HistoryMessage, _ shown: Shown, in channel: Int, _ call: Int64, _ here: Here
    ) {
        let number = shown.number
        if let later = channels[channel].noteVersion(
            message.updatedAt, of: number, to: here.client)
        {
            findings.add(
                .undone, at: here.place, channels[channel].name, message.id,
                request: message.request,
                expected: "the edit of \(later), which an earlier snapshot of this client has",
                seen: message.updatedAt.map { "the edit of \($0)" } ?? "no edit")
        }
        if channels[channel][number].hasAcknowledgedDeletion,
            let deletion = channels[channel].deletions.acknowledgement(
                of: number, to: here.client, before: call)
        {
            findings.add(
                .undone, at: here.place, channels[channel].name, message.id,
                request: message.request,
                expected: "no message: \(name(of: deletion.place)) acknowledges its deletion",
                seen: "a later snapshot of the same client shows it")
        }
        guard channels[channel][number].hasAcknowledgedEdit,
            let edit = channels[channel].edits.last(of: number, by: here.client, before: call)
        else { return }
        let text = shown.otherText ?? channels[channel][number].text
        // Edits of other clients may stand in a file that comes later.
        guard text != edit.text,
            !channels[channel].edits.isLater(text, of: number, by: here.client, than: edit)
        else { return }
        channels[channel].doubts.append(
            ChannelBook.Doubt(
                client: here.client, message: number, text: text, edit: edit, place: here.place))
    }

    /// A message that a line shows: its number, and its text if that is not its first one.
    private struct Shown {
        let number: Int32
        let otherText: Int32?
    }

    /// Notes a message of a line, and compares it with the lines before.
    private mutating func sight(
        _ message: HistoryMessage, in channel: Int, hint: Int32, isAcknowledgement: Bool,
        _ here: Here
    ) -> Shown {
        let number = channels[channel].number(of: message.id, hint: hint)
        let known = channels[channel][number]
        if !known.isSeen {
            channels[channel][number].createdAt = message.createdAt
            channels[channel][number].place = here.place
            channels[channel][number].isOnlyAcknowledged = isAcknowledgement
        } else if known.createdAt != message.createdAt {
            complainOfPlace(message, known, in: channel, number, isAcknowledgement, here)
        } else if known.isOnlyAcknowledged, !isAcknowledgement {
            channels[channel][number].isOnlyAcknowledged = false
        }
        if known.sender == 0, let sender = message.sender {
            channels[channel][number].sender = names.number(of: sender)
        }
        if let id = message.request {
            // An acknowledgement reaches the sender.
            let writer = isAcknowledgement ? clients[here.client].user : 0
            let sender = channels[channel][number].sender
            link(
                id, by: sender == 0 ? writer : sender, to: number, known, in: channel, here)
        }
        if texts.isText(known.text, equalTo: message.text) {
            return Shown(number: number, otherText: nil)
        }
        let text = texts.number(of: message.text)
        guard known.text != 0 else {
            channels[channel][number].text = text
            return Shown(number: number, otherText: nil)
        }
        channels[channel].noteText(text, of: number, at: here.place)
        return Shown(number: number, otherText: text)
    }

    private mutating func complainOfPlace(
        _ message: HistoryMessage, _ known: ChannelBook.Message, in channel: Int, _ number: Int32,
        _ isAcknowledgement: Bool, _ here: Here
    ) {
        guard !known.isDoubtful else { return }
        channels[channel][number].isDoubtful = true
        findings.add(
            known.isOnlyAcknowledged || isAcknowledgement ? .once : .oneOrder, at: here.place,
            channels[channel].name, message.id, request: message.request,
            expected: "its place at \(known.createdAt), as in \(name(of: known.place))",
            seen: "its place at \(message.createdAt)")
    }

    /// Connects a message with its send request.
    private mutating func link(
        _ id: String, by user: Int32, to number: Int32, _ known: ChannelBook.Message,
        in channel: Int, _ here: Here
    ) {
        if requests.isRequest(known.request, id) { return }
        if known.request != 0 {
            guard !known.isDoubtful else { return }
            channels[channel][number].isDoubtful = true
            findings.add(
                .once, at: here.place, channels[channel].name, known.id, request: id,
                expected: "the message of the request \(requests.id(of: known.request) ?? ""), "
                    + "as in \(name(of: known.place))",
                seen: "the message of the request \(id)")
            return
        }
        let request = requests.number(of: id, by: user)
        channels[channel][number].request = request
        guard requests[request].message >= 0 else {
            requests[request].channel = Int32(clamping: channel)
            requests[request].message = number
            return
        }
        let other = channels[Int(requests[request].channel)]
        findings.add(
            .once, at: here.place, channels[channel].name, known.id, request: id,
            expected: "the request is one message: \(other[requests[request].message].id) of "
                + "\(other.name), as in \(name(of: other[requests[request].message].place))",
            seen: "it is a second message")
    }

    private func name(of place: HistoryPlace) -> String { place.text(in: files) }
}
