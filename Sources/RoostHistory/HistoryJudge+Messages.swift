// SPDX-License-Identifier: Apache-2.0

/// Messages as clients showed them.
extension HistoryJudge {
    mutating func take(_ change: HistoryChange, _ here: Here) {
        let channel = index(of: change.channel)
        for message in change.inserted + change.updated {
            _ = sight(message, in: channel, hint: 0, isAcknowledgement: false, here)
            channels[channel].extend(to: message.position, for: here.client)
        }
    }

    mutating func take(_ view: HistoryView, isLog: Bool, _ here: Here) {
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
            !channels[channel].edits.isLater(
                text, of: number, by: here.client, than: edit.call)
        else { return }
        channels[channel].doubts.append(
            ChannelBook.Doubt(
                client: here.client, message: number, text: text, edit: edit, place: here.place))
    }

    /// A message that a line shows: its number, and its text if that is not its first one.
    struct Shown {
        let number: Int32
        let otherText: Int32?
    }

    /// Notes a message of a line, and compares it with the lines before.
    mutating func sight(
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
        if let sender = message.sender {
            noteSender(sender, of: message, number, in: channel, here)
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

    /// Notes the sender of a message, and compares it with the one of the lines before.
    private mutating func noteSender(
        _ sender: String, of message: HistoryMessage, _ number: Int32, in channel: Int,
        _ here: Here
    ) {
        let known = channels[channel][number]
        guard known.sender != 0 else {
            channels[channel][number].sender = names.number(of: sender)
            return
        }
        guard !known.isDoubtful, !names.isText(known.sender, equalTo: sender) else { return }
        channels[channel][number].isDoubtful = true
        findings.add(
            .oneOrder, at: here.place, channels[channel].name, message.id,
            request: message.request,
            expected: "the sender \(names[known.sender]), as in an earlier line",
            seen: "the sender \(sender)")
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
