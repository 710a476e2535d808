// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostModel
import RoostServer
import RoostStore
import RoostTestKit

// The writes of a user besides text messages; all of them wait in the outbox without a connection.

extension Simulation {
    /// Performs a write of an app; none if the app shows no message that fits.
    func write(_ action: Action, _ app: SimulatedApp) async {
        switch action {
        case .sendFile: sendFile(app)
        case .addReaction:
            guard let watch = pick(of: app.timelines), app.client != nil,
                let id = pick(of: await watch.collection.snapshot.messages)?.messageID
            else { return }
            let isAdded = pick(3) > 0
            app.changed.insert(watch.collection.channel)
            call(app, "\(isAdded ? "react" : "unreact") to \(id)") {
                [channel = watch.collection.channel] client in
                if isAdded {
                    try await client.addReaction("ok", to: .delivered(id), in: channel)
                } else {
                    try await client.removeReaction("ok", from: .delivered(id), in: channel)
                }
            }
        case .editUnsent:
            guard let (id, channel) = await someUnsent(app) else { return }
            lastNumber += 1
            let edit = MessageEdit(text: "edit unsent \(lastNumber)")
            call(app, "edit unsent \(id)") { try await $0.edit(.unsent(id), in: channel, edit) }
        case .deleteUnsent:
            guard let (id, channel) = await someUnsent(app) else { return }
            // The deletion may lose the race against the send, so neither order nor arrival is
            // checked.
            noteDoubt(of: id, app)
            call(app, "delete unsent \(id)") { try await $0.delete(.unsent(id), in: channel) }
        case .markRead:
            guard let watch = pick(of: app.timelines), app.client != nil,
                let last = await watch.collection.snapshot.messages.last(where: {
                    $0.messageID != nil
                })
            else { return }
            app.changed.insert(watch.collection.channel)
            call(app, "mark read") { [channel = watch.collection.channel] client in
                try await client.markAsRead(channel, through: last.createdAt)
            }
        case .changeChannel: changeChannel(randomChange(), app)
        case .leaveHere:
            for app in apps { app.noteLoss() }
            changeChannel(.leave, app)
        case .draft: saveDraft(app)
        default: preconditionFailure("\(action) is no write.")
        }
    }

    /// Returns a change of a channel other than a departure.
    private func randomChange() -> ChannelChange {
        if mix.has(.muteMember), pick(6) == 0 { return random.mute(of: user(pick(shape.users))) }
        lastNumber += 1
        switch pick(10) {
        case 0: return .hide(allowsAutoUnhide: true)
        case 1: return .hide(allowsAutoUnhide: false)
        case 2, 3: return .unhide
        case 4: return .invite((0..<shape.users).filter { _ in pick(2) == 0 }.map(user))
        case 5: return .setPushTrigger(pick(2) == 0 ? .off : .all)
        case 6: return .setCountPreference(pick(2) == 0 ? .off : .all)
        default: return .update(ChannelUpdateParams(name: "own name \(lastNumber)"))
        }
    }

    private func changeChannel(_ change: ChannelChange, _ app: SimulatedApp) {
        let channel = someChannel()
        app.changed.insert(channel)
        if change == .leave { noteDeparture(of: app.user, from: channel) }
        call(app, "\(change) of \(channel)") { try await $0.queue(change, in: channel) }
    }

    private func saveDraft(_ app: SimulatedApp) {
        // One call at a time, so that the last text is known.
        guard app.client != nil, !app.isDrafting else { return }
        app.isDrafting = true
        lastNumber += 1
        let place = DraftPlace(someChannel(), thread: pick(2) == 0 ? 1 : nil)
        let text = pick(4) == 0 ? "" : "draft \(lastNumber)"
        // Either text may be on disk until the call returns.
        app.drafts[place, default: [""]].insert(text)
        call(app, "draft “\(text)” in \(place.channel)", atMost: .max) {
            [index = app.number, run = app.run] client in
            let isSaved: Bool
            do {
                try await client.saveDraft(text, at: place)
                isSaved = true
            } catch {
                isSaved = false
            }
            await self.noteDraft(isSaved ? text : nil, at: place, from: index, in: run)
        }
    }

    private func noteDraft(_ text: String?, at place: DraftPlace, from index: Int, in run: Int) {
        let app = apps[index]
        guard app.run == run else { return }
        app.isDrafting = false
        if let text { app.drafts[place] = [text] }
    }

    /// Notes that a user may lose the drafts of a channel.
    func noteDeparture(of user: UserID, from channel: ChannelURL) {
        departures.insert("\(user) \(channel)")
    }

    /// Checks that drafts outlive everything but the end of the membership.
    func checkDrafts(of app: SimulatedApp) async throws {
        guard let client = app.client else { return }
        for (place, texts) in app.drafts {
            let text = await client.draft(at: place)?.text ?? ""
            try expect(
                texts.contains(text)
                    || text.isEmpty && departures.contains("\(app.user) \(place.channel)"),
                "\(app.name) has the draft “\(text)” in \(place.channel) instead of "
                    + "\(texts.sorted())")
        }
    }

    private func sendFile(_ app: SimulatedApp) {
        // One call at a time, so that the order of calls is known.
        guard let client = app.client, !app.isSending else { return }
        let channel = channels[pick(channels.count)]
        app.isSending = true
        app.sendCount += 1
        lastNumber += 1
        let (text, number) = ("\(app.name) \(app.sendCount)", lastNumber)
        pendingCalls[number] = PendingCall(
            app: app.number, name: "\(app.name) send file", since: executor.now)
        note("\(app.name) sends the file “\(text)” to \(channel)")
        let file = OutgoingFile(.bytes(Array(text.utf8)), name: "\(number).txt", type: "text/plain")
        Task(executorPreference: executor) { [index = app.number, run = app.run] in
            let message = try? await client.send(
                FileMessageParams(files: [file], caption: text, data: text), to: channel)
            await self.noteSent(message, from: index)
            await self.hasSent(from: index, in: run, number)
        }
    }

    /// Chooses an unsent message of a timeline that the app shows.
    private func someUnsent(_ app: SimulatedApp) async -> (RequestID, ChannelURL)? {
        guard app.client != nil, let watch = pick(of: app.timelines) else { return nil }
        let unsent = await watch.collection.snapshot.messages.filter { $0.messageID == nil }
        return pick(of: unsent)?.requestID.map { ($0, watch.collection.channel) }
    }

    /// Checks that no change is pending at rest, apart from those that cannot be delivered: in
    /// channels that the user has left, and of messages that were never delivered.
    func checkWrites(of app: SimulatedApp) async throws {
        guard let client = app.client else { return }
        for channel in channels {
            let access = await world.storage.access(to: channel, of: app.user)
            guard access?.state == .joined else { continue }
            for change in await client.pendingChanges(in: channel) {
                if case .unsent? = change.action.target { continue }
                throw Violation(sentence: "\(app.name) still has \(change) pending at rest")
            }
        }
    }
}
