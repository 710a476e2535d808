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
    /// The names of the channels, each under the number of its place from 1.
    private var channelNames = TextTable()
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
        else {
            throw HistoryFault(
                line: Int(place.line), "The histories are too large: check fewer of them at once.")
        }
        let here = Here(client: client, number: line.number, place: place)
        switch line.fact {
        case .start: break
        case .refused(let id?, let code, let channel, let action, let request):
            let channel = index(of: channel)
            let message = channels[channel].number(of: id, hint: 0)
            let known = action.flatMap { HistoryCall.Known(rawValue: $0) }
            let user = clients[client].user
            let number = request.map { requests.number(of: $0, by: user) }
            channels[channel].queue.refuse(
                message, known, number.map { ($0, requests[$0].resends) }, to: user, by: client,
                at: line.number)
            // Without a code the change was dropped, and may have been made before.
            guard known == .delete, code != nil else { break }
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
        case .failed(let request, _, _), .canceled(let request, _):
            let number = requests.number(of: request, by: clients[client].user)
            requests[number].giveUp(by: client)
        case .change(let change): take(change, here)
        case .snapshot(let view): take(view, isLog: false, here)
        case .log(let view): take(view, isLog: true, here)
        }
    }

    /// The place of the line that is being taken.
    struct Here {
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
                        + "\(HistoryLimits.form): check it with the roost that wrote it.")
            }
            let user = start.user.map { names.number(of: $0) } ?? 0
            return try clients.start(line.client, at: line.number, user: user)
        } catch {
            throw HistoryFault(line: Int(place.line), error.text)
        }
    }

    mutating func index(of channel: String) -> Int {
        let number = Int(channelNames.number(of: channel))
        if number > channels.count { channels.append(ChannelBook(name: channel)) }
        return number - 1
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
            if let request = call.request { takeByHand(request, isResend: true, here) }
        case (.cancel, _):
            if let request = call.request { takeByHand(request, isResend: false, here) }
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

    /// Takes a call that sends a request again or cancels it; until it is answered, it may have done
    /// so or not.
    private mutating func takeByHand(_ id: String, isResend: Bool, _ here: Here) {
        let number = requests.number(of: id, by: clients[here.client].user)
        requests[number].openCalls += 1
        clients[here.client].openHandCalls[here.number] = ClientBook.OpenHandCall(
            request: number, isResend: isResend)
        guard isResend else { return }
        requests[number].resends += 1
        let channel = requests[number].calledChannel
        if channel >= 0 { channels[Int(channel)].noteAction(of: here.client, at: here.number) }
    }

    private mutating func take(_ answer: HistoryAnswer, _ here: Here) {
        if let change = clients[here.client].openChanges.removeValue(forKey: answer.call) {
            guard answer.isOK else { return takeBack(change, answer.call, here.client) }
            channels[change.channel].queue.note(
                QueueBook.Change(call: answer.call, text: change.text, place: here.place),
                of: change.message, by: here.client)
            return
        }
        if let call = clients[here.client].openHandCalls.removeValue(forKey: answer.call) {
            requests[call.request].openCalls -= 1
            switch (call.isResend, answer.isOK) {
            case (true, true): requests[call.request].sendAgain(by: here.client)
            case (true, false): requests[call.request].resends -= 1
            case (false, true): requests[call.request].giveUp(by: here.client)
            case (false, false): break
            }
            return
        }
        guard answer.isOK else {
            // Nothing was queued.
            clients[here.client].openSends[answer.call] = nil
            return
        }
        guard let id = answer.request,
            let send = clients[here.client].openSends.removeValue(forKey: answer.call)
        else { return }
        let request = requests.number(of: id, by: clients[here.client].user)
        let known = requests[request]
        guard !known.hasCall else {
            // The server takes the second message for a repeat of the first. A recorder that is no
            // user has no IDs of its own.
            let user = clients[here.client].user
            guard user != 0, clients[known.client].user == user else { return }
            return findings.add(
                .once, at: here.place, channels[Int(send.channel)].name, nil, request: id,
                expected: "a request ID of its own",
                seen: "the ID of the message of \(known.answer.text(in: files))")
        }
        requests[request].client = here.client
        requests[request].call = answer.call
        requests[request].answer = here.place
        requests[request].calledChannel = send.channel
        requests[request].text = send.text
    }

    /// Forgets a call for a change that was answered by an error: nothing was queued.
    private mutating func takeBack(
        _ change: ClientBook.OpenChange, _ call: Int64, _ client: Int32
    ) {
        if let text = change.text {
            channels[change.channel].edits.takeBack(change.message, text, by: client, at: call)
        } else {
            channels[change.channel].deletions.takeBack(
                change.message, by: client, of: clients[client].user, at: call)
        }
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
