// SPDX-License-Identifier: Apache-2.0

import RoostHistory
import RoostTestSupport
import Testing

/// A way in which a server or a client could break a promise, as it would look in histories.
struct PlantedFault: CustomTestStringConvertible, Sendable {
    let name: String
    /// The kind of complaint that must find it.
    let rule: Complaint.Rule
    /// Plants the fault; returns false if the story has no place for it.
    let plant: @Sendable (inout HistoryStory) -> Bool

    var testDescription: String { name }

    init(
        _ name: String, _ rule: Complaint.Rule,
        _ plant: @escaping @Sendable (inout HistoryStory) -> Bool
    ) {
        self.name = name
        self.rule = rule
        self.plant = plant
    }

    static let all = [
        PlantedFault("an acknowledged message is lost", .once, loseMessage),
        PlantedFault("a message is lost after its deletion was refused", .once, loseRefused),
        PlantedFault("a client deletes another message", .once, deleteOther),
        PlantedFault("a queued message is never delivered", .once, neverDeliver),
        PlantedFault("a message is lost behind a refused cancel", .once, loseUncanceled),
        PlantedFault("a repeat is stored twice", .once, storeTwice),
        PlantedFault("a client sends one call under two request IDs", .once, sendAgain),
        PlantedFault("two messages are sent under one request ID", .once, shareRequest),
        PlantedFault("a message that was never sent is stored", .once, storeUnsent),
        PlantedFault("an acknowledgement names another ID", .once, acknowledgeOtherID),
        PlantedFault("an acknowledgement names another time", .once, acknowledgeOtherTime),
        PlantedFault("a stored text differs from the sent one", .once, alterText),
        PlantedFault("a message is stored in another channel", .once, storeElsewhere),
        PlantedFault("two messages of a sender are exchanged", .senderOrder, exchangeMessages),
        PlantedFault("a later message overtakes three others", .senderOrder, overtake),
        PlantedFault("a snapshot shows a message twice", .oneOrder, showTwice),
        PlantedFault("a snapshot shows two messages in another order", .oneOrder, showExchanged),
        PlantedFault("a client sees a message at another time", .oneOrder, showOtherTime),
        PlantedFault("a client sees a message that was rolled back", .oneOrder, showPhantom),
        PlantedFault("a message is shown under another sender", .oneOrder, showOtherSender),
        PlantedFault("the log steps back in time", .oneOrder, stepBackInTime),
        PlantedFault("an ID is given twice", .oneOrder, reissueID),
        PlantedFault("a snapshot hides a hole", .hole, hideHole),
        PlantedFault("a snapshot hides that it has no beginning", .hole, hideBeginning),
        PlantedFault("a caught-up client forgets the newest message", .hole, forgetNewest),
        PlantedFault("an acknowledged edit is undone in the log", .undone, undoEdit),
        PlantedFault("an edit is lost behind a refused deletion", .undone, loseEditAfterRefusal),
        PlantedFault("a client shows a text from before its edit", .undone, showEarlierText),
        PlantedFault("an acknowledged deletion is undone in the log", .undone, undoDeletion),
        PlantedFault("a client shows a message that it deleted", .undone, showDeleted),
        PlantedFault("a client goes back to an earlier version", .undone, goBackInVersion),
        PlantedFault("a client misses the end of the log", .final, missEnd),
        PlantedFault("a client keeps a deleted message", .final, keepDeleted),
        PlantedFault("a client misses an edit of another one", .final, missEdit),
    ]
}

// MARK: - Exactly once

private func loseMessage(_ story: inout HistoryStory) -> Bool {
    guard let lost = story.plainMessages().middle else { return false }
    story.changeEnd(of: lost.channel) { $0.removeAll { $0.id == lost.message.id } }
    return true
}

private func loseRefused(_ story: inout HistoryStory) -> Bool {
    let logs = story.logs
    let acknowledged = Set(
        story.sites { _ in true }.compactMap { site in
            if case .acknowledged(let message, _) = story[site].fact { message.id } else { nil }
        })
    let lost = story.sites { fact in
        guard case .refused(let id?, _, let channel, "delete", _) = fact else { return false }
        return acknowledged.contains(id) && logs[channel]?[id] != nil
    }.middle
    guard let lost, case .refused(let id?, _, let channel, _, _) = story[lost].fact else {
        return false
    }
    story.changeEnd(of: channel) { $0.removeAll { $0.id == id } }
    return true
}

/// The server deletes a message for which no client asked, and a client reports it.
private func deleteOther(_ story: inout HistoryStory) -> Bool {
    guard let lost = story.plainMessages().middle else { return false }
    story.changeEnd(of: lost.channel) { $0.removeAll { $0.id == lost.message.id } }
    story.append([.deleted(lost.message.id, channel: lost.channel)], to: lost.site.file)
    return true
}

/// The outbox loses a message behind its answered call, so no line has it.
private func neverDeliver(_ story: inout HistoryStory) -> Bool { loseQueued(&story) != nil }

/// So it does behind a call that was to cancel the message and did nothing.
private func loseUncanceled(_ story: inout HistoryStory) -> Bool {
    guard let lost = loseQueued(&story) else { return false }
    story.append(
        [
            .call(HistoryCall("cancel", request: lost.message.request)),
            .answer(HistoryAnswer(call: 0, isOK: false, code: 800_101)),
        ], to: lost.site.file)
    return true
}

/// Takes a message with an answered call out of every line.
private func loseQueued(
    _ story: inout HistoryStory
) -> (site: HistoryStory.Site, message: HistoryMessage, channel: String)? {
    let answered = Set(
        story.sites { _ in true }.compactMap { site in
            if case .answer(let answer) = story[site].fact { answer.request } else { nil }
        })
    // An unanswered call may have the text "ok", too.
    let lost = story.plainMessages().filter {
        $0.message.text != "ok" && answered.contains($0.message.request ?? "")
    }.middle
    guard let lost else { return nil }
    story.removeEverywhere(lost.message.id, in: lost.channel)
    return lost
}

private func storeTwice(_ story: inout HistoryStory) -> Bool {
    guard var twin = story.plainMessages().middle else { return false }
    twin.message.id += 1_000_000
    twin.message.createdAt += 1_000_000
    story.changeEnd(of: twin.channel) { $0.append(twin.message) }
    return true
}

/// The client repeats a send with a fresh ID, and the server acknowledges both.
private func sendAgain(_ story: inout HistoryStory) -> Bool {
    // A killed client's unanswered call may have the text "ok", too.
    guard var twin = story.plainMessages().filter({ $0.message.text != "ok" }).middle else {
        return false
    }
    twin.message.id += 1_000_000
    twin.message.createdAt += 1_000_000
    twin.message.request = "fresh-request"
    story.changeEnd(of: twin.channel) { $0.append(twin.message) }
    story.append([.acknowledged(twin.message, channel: twin.channel)], to: twin.site.file)
    return true
}

/// A restored folder gives a request ID again, and the server takes the message for a repeat.
private func shareRequest(_ story: inout HistoryStory) -> Bool {
    guard let twin = story.plainMessages().middle else { return false }
    story.append(
        [
            .call(HistoryCall("send", channel: twin.channel, text: "swallowed")),
            .answer(HistoryAnswer(call: 0, isOK: true, request: twin.message.request)),
        ], to: twin.site.file)
    return true
}

private func storeUnsent(_ story: inout HistoryStory) -> Bool {
    guard var other = story.plainMessages().middle else { return false }
    other.message.id += 1_000_000
    other.message.createdAt += 1_000_000
    other.message.request = "request-of-none"
    other.message.text = "never sent"
    story.changeEnd(of: other.channel) { $0.append(other.message) }
    return true
}

private func acknowledgeOtherID(_ story: inout HistoryStory) -> Bool {
    guard var told = story.plainMessages().middle else { return false }
    told.message.id += 1_000_000
    story[told.site].fact = .acknowledged(told.message, channel: told.channel)
    return true
}

private func acknowledgeOtherTime(_ story: inout HistoryStory) -> Bool {
    guard var told = story.plainMessages().middle else { return false }
    told.message.createdAt += 1
    story[told.site].fact = .acknowledged(told.message, channel: told.channel)
    return true
}

private func alterText(_ story: inout HistoryStory) -> Bool {
    guard let altered = story.plainMessages().middle else { return false }
    story.changeEnd(of: altered.channel) { messages in
        for index in messages.indices where messages[index].id == altered.message.id {
            messages[index].text += "?"
        }
    }
    return true
}

private func storeElsewhere(_ story: inout HistoryStory) -> Bool {
    guard let moved = story.plainMessages().middle,
        let other = story.channels.first(where: { $0 != moved.channel })
    else { return false }
    story.changeEnd(of: moved.channel) { $0.removeAll { $0.id == moved.message.id } }
    story.changeEnd(of: other) { messages in
        messages.append(moved.message)
        messages.sort { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }
    return true
}

// MARK: - Order of a sender

/// Gives the place of one message to another one, in every line that shows one of them.
private func exchange(
    _ one: HistoryMessage, _ other: HistoryMessage, in place: String, _ story: inout HistoryStory
) {
    story.changeEverywhere { message, channel in
        guard channel == place, message.id == one.id || message.id == other.id else {
            return message
        }
        var changed = message
        let content = message.id == one.id ? other : one
        (changed.request, changed.text, changed.sender) =
            (content.request, content.text, content.sender)
        return changed
    }
}

private func exchangeMessages(_ story: inout HistoryStory) -> Bool {
    exchangeOwn(apart: 1, &story)
}

private func overtake(_ story: inout HistoryStory) -> Bool { exchangeOwn(apart: 3, &story) }

/// Exchanges two messages of one client and channel whose calls were answered.
private func exchangeOwn(apart: Int, _ story: inout HistoryStory) -> Bool {
    let answered = Set(
        story.sites { _ in true }.compactMap { site in
            if case .answer(let answer) = story[site].fact { answer.request } else { nil }
        })
    let plain = story.plainMessages().filter { answered.contains($0.message.request ?? "") }
    for index in plain.indices {
        let own = plain[index...].filter {
            $0.site.file == plain[index].site.file && $0.channel == plain[index].channel
        }
        guard own.count > apart else { continue }
        exchange(own[0].message, own[apart].message, in: plain[index].channel, &story)
        return true
    }
    return false
}

// MARK: - One order for all

private func showTwice(_ story: inout HistoryStory) -> Bool {
    changeEarlier(&story) { $0.messages.insert($0.messages[1], at: 1) }
}

private func showExchanged(_ story: inout HistoryStory) -> Bool {
    changeEarlier(&story) { $0.messages.swapAt(0, 1) }
}

/// Changes a snapshot of three messages at least in the middle of the story.
private func changeEarlier(
    _ story: inout HistoryStory, _ body: (inout HistoryView) -> Void
) -> Bool {
    let sites = story.earlierSnapshots.filter { (story.view(at: $0)?.messages.count ?? 0) > 2 }
    guard let site = sites.middle else { return false }
    story.changeView(at: site, body)
    return true
}

private func showOtherTime(_ story: inout HistoryStory) -> Bool {
    // The second file has the messages of the first one's client, whose place is known by then.
    for site in story.earlierSnapshots where site.file == 1 {
        let messages = story.view(at: site)?.messages ?? []
        guard let index = messages.firstIndex(where: { $0.sender == "ada" }) else { continue }
        story.changeView(at: site) { $0.messages[index].createdAt += 1 }
        return true
    }
    return false
}

private func showOtherSender(_ story: inout HistoryStory) -> Bool {
    changeEarlier(&story) { view in
        view.messages[1].sender = view.messages[1].sender == "bo" ? "cy" : "bo"
    }
}

private func showPhantom(_ story: inout HistoryStory) -> Bool {
    guard var shown = story.plainMessages().middle else { return false }
    shown.message.id += 1
    shown.message.createdAt += 1
    shown.message.request = "request-rolled-back"
    shown.message.text = "rolled back"
    let channel = shown.channel
    let sites = story.sites {
        if case .change(let change) = $0 { change.channel == channel } else { false }
    }
    guard let site = sites.last, case .change(var change) = story[site].fact else { return false }
    change.inserted.append(shown.message)
    story[site].fact = .change(change)
    return true
}

private func stepBackInTime(_ story: inout HistoryStory) -> Bool {
    guard story.log(of: "first").count > 4 else { return false }
    story.changeEnd(of: "first") { messages in
        if messages.count > 2 { messages.swapAt(0, 1) }
    }
    return true
}

private func reissueID(_ story: inout HistoryStory) -> Bool {
    let log = story.log(of: "first")
    guard log.count > 6 else { return false }
    let (first, second) = (log[log.count - 2].id, log[log.count - 1].id)
    story.changeEnd(of: "first") { messages in
        for index in messages.indices where messages[index].id == second {
            messages[index].id = first
        }
    }
    return true
}

// MARK: - No hidden hole

private func hideHole(_ story: inout HistoryStory) -> Bool {
    let logs = story.logs
    for site in story.earlierSnapshots {
        guard let view = story.view(at: site) else { continue }
        // A message that someone asked to delete may be hidden.
        let changed = story.changedIDs(of: view.channel)
        guard
            let index = view.messages.indices.dropFirst().dropLast()
                .first(where: { index in
                    let id = view.messages[index].id
                    return logs[view.channel]?[id] != nil && !changed.contains(id)
                })
        else { continue }
        story.changeView(at: site) { _ = $0.messages.remove(at: index) }
        return true
    }
    return false
}

private func hideBeginning(_ story: inout HistoryStory) -> Bool {
    for site in story.earlierSnapshots {
        guard let view = story.view(at: site), view.hasOlder, let first = view.messages.first,
            story.log(of: view.channel).contains(where: { $0.createdAt < first.createdAt })
        else { continue }
        story.changeView(at: site) { $0.hasOlder = false }
        return true
    }
    return false
}

private func forgetNewest(_ story: inout HistoryStory) -> Bool {
    let logs = story.logs
    for site in story.earlierSnapshots {
        guard let view = story.view(at: site), view.isCaughtUp, !view.hasNewer,
            view.messages.count > 1, let last = view.messages.last,
            logs[view.channel]?[last.id] != nil
        else { continue }
        story.changeView(at: site) { $0.messages.removeLast() }
        return true
    }
    return false
}

// MARK: - Nothing undone

/// The acknowledged edits that are the last ones of their messages, with the text before each.
private func lastEdits(
    _ story: HistoryStory
) -> [(site: HistoryStory.Site, id: Int64, text: String, before: String, channel: String)] {
    let (shown, logs) = (story.firstShown, story.logs)
    return story.sites { _ in true }.compactMap { site in
        guard case .edited(let id, let text, let channel) = story[site].fact,
            let before = shown[channel]?[id], logs[channel]?[id]?.text == text
        else { return nil }
        return (site, id, text, before.text, channel)
    }
}

private func undoEdit(_ story: inout HistoryStory) -> Bool {
    guard let edit = lastEdits(story).middle else { return false }
    story.changeEnd(of: edit.channel) { messages in
        for index in messages.indices where messages[index].id == edit.id {
            messages[index].text = edit.before
        }
    }
    return true
}

/// The client edits a message whose deletion was refused, and its outbox loses the edit.
private func loseEditAfterRefusal(_ story: inout HistoryStory) -> Bool {
    guard let kept = story.plainMessages().middle else { return false }
    let (id, channel) = (kept.message.id, kept.channel)
    let end = story.lastViews(of: channel).first { $0.file == kept.site.file }
    guard let end, case .snapshot(var view) = story[end].fact else { return false }
    // The snapshot without a call of its own stands behind the changes.
    view.call = nil
    story.append(
        [
            .call(HistoryCall("delete", channel: channel, message: id)),
            .answer(HistoryAnswer(call: 0, isOK: true)),
            .refused(id, code: 400_108, channel: channel, action: "delete", request: "lost-1"),
            .call(HistoryCall("edit", channel: channel, text: "lost", message: id)),
            .answer(HistoryAnswer(call: 0, isOK: true)),
            .snapshot(view),
        ], to: kept.site.file)
    return true
}

private func showEarlierText(_ story: inout HistoryStory) -> Bool {
    for edit in lastEdits(story) {
        let later = story.earlierSnapshots.filter {
            guard $0.file == edit.site.file, $0 > edit.site, let view = story.view(at: $0),
                view.channel == edit.channel, let call = view.call
            else { return false }
            return call > story[edit.site].number && view.messages.contains { $0.id == edit.id }
        }
        guard let site = later.first else { continue }
        story.changeView(at: site) { view in
            for index in view.messages.indices where view.messages[index].id == edit.id {
                view.messages[index].text = edit.before
            }
        }
        return true
    }
    return false
}

/// The acknowledged deletions, each with the message as a change showed it first.
private func deletions(
    _ story: HistoryStory
) -> [(site: HistoryStory.Site, message: HistoryMessage, channel: String)] {
    let shown = story.firstShown
    return story.sites { _ in true }.compactMap { site in
        guard case .deleted(let id, let channel) = story[site].fact,
            let message = shown[channel]?[id]
        else { return nil }
        return (site, message, channel)
    }
}

/// Inserts a message at its place.
private func insert(_ message: HistoryMessage, into messages: inout [HistoryMessage]) {
    messages.append(message)
    messages.sort { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
}

private func undoDeletion(_ story: inout HistoryStory) -> Bool {
    guard let deletion = deletions(story).middle else { return false }
    for site in story.lastViews(of: deletion.channel) {
        guard let view = story.view(at: site), let first = view.messages.first,
            !view.hasOlder || first.createdAt < deletion.message.createdAt,
            !view.hasNewer
                || view.messages.contains(where: { $0.createdAt > deletion.message.createdAt })
        else { continue }
        story.changeView(at: site) { insert(deletion.message, into: &$0.messages) }
    }
    return true
}

private func showDeleted(_ story: inout HistoryStory) -> Bool {
    for deletion in deletions(story) {
        let later = story.earlierSnapshots.first {
            guard $0.file == deletion.site.file, let view = story.view(at: $0),
                view.channel == deletion.channel, let call = view.call
            else { return false }
            return call > story[deletion.site].number
        }
        guard let later else { continue }
        story.changeView(at: later) { insert(deletion.message, into: &$0.messages) }
        return true
    }
    return false
}

private func goBackInVersion(_ story: inout HistoryStory) -> Bool {
    for site in story.earlierSnapshots {
        for message in story.view(at: site)?.messages ?? [] where message.updatedAt != nil {
            let later = story.sites { _ in true }.first {
                $0.file == site.file && $0 > site
                    && story.view(at: $0)?.messages.contains { $0.id == message.id } == true
            }
            guard let later else { continue }
            story.changeView(at: later) { view in
                for index in view.messages.indices where view.messages[index].id == message.id {
                    view.messages[index].updatedAt = nil
                }
            }
            return true
        }
    }
    return false
}

// MARK: - Final state

/// The last snapshot of a client whose user did not send the last messages of the log.
private func missEnd(_ story: inout HistoryStory) -> Bool {
    for channel in story.channels {
        let log = story.log(of: channel)
        guard let last = log.last else { continue }
        let site = story.lastViews(of: channel).first {
            $0.file < 4 && story[$0].client.prefix { $0 != "@" } != last.sender ?? ""
        }
        guard let site else { continue }
        // The server never delivered it to this client.
        for index in story.files[site.file].indices {
            let place = HistoryStory.Site(file: site.file, line: index)
            if case .change(var change) = story[place].fact {
                change.inserted.removeAll { $0.id == last.id }
                change.updated.removeAll { $0.id == last.id }
                story[place].fact = .change(change)
            }
            story.changeView(at: place) { $0.messages.removeAll { $0.id == last.id } }
        }
        return true
    }
    return false
}

private func keepDeleted(_ story: inout HistoryStory) -> Bool {
    for deletion in deletions(story) {
        let site = story.lastViews(of: deletion.channel).first {
            $0.file < 4 && $0.file != deletion.site.file
        }
        guard let site else { continue }
        story.changeView(at: site) { insert(deletion.message, into: &$0.messages) }
        return true
    }
    return false
}

private func missEdit(_ story: inout HistoryStory) -> Bool {
    for edit in lastEdits(story) {
        let site = story.lastViews(of: edit.channel).first {
            $0.file < 4 && $0.file != edit.site.file
        }
        guard let site else { continue }
        story.changeView(at: site) { view in
            for index in view.messages.indices where view.messages[index].id == edit.id {
                view.messages[index].text = edit.before
            }
        }
        return true
    }
    return false
}

extension Array {
    fileprivate var middle: Element? { isEmpty ? nil : self[count / 2] }
}
