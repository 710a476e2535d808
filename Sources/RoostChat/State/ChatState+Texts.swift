// SPDX-License-Identifier: Apache-2.0

import Roost

/// The user's texts besides the one in the line: set aside by an edit or a thread, or come back
/// because they could not be sent.
extension ChatState {
    /// The text of an edit that could not be made, or was left for another place.
    struct RefusedEdit: Hashable, Sendable {
        let text: String
        /// The place of the message, whose draft the text becomes at the end of the program.
        let place: DraftPlace
        /// The change that the server has refused; nil for an edit that this device could not save.
        var change: RequestID?
    }

    /// Ends an edit: no message is marked any more, and the text from before it is back.
    mutating func endEditing() {
        conversation?.editing = nil
        conversation?.selected = nil
        takeUp()
    }

    /// Puts the text back that an edit or a thread has set aside.
    mutating func takeUp() { composer = Composer(setAside.popLast() ?? "") }

    /// Keeps a changed text for the next edit of its message, if an edit is left for another place.
    mutating func keepEdit() {
        guard let target = conversation?.editing, let place = draftPlace,
            !composer.text.trimmed.isEmpty
        else { return }
        let shown = conversation?.shown(to: me).last { $0.message.target == target }
        guard shown?.message.text != composer.text else { return }
        refusedEdits[target] = RefusedEdit(text: composer.text, place: place)
    }

    /// Ends the edit of a message that another device has deleted; a changed text becomes a draft.
    mutating func endEdit(ofDeleted message: Message?) {
        guard let message, conversation?.editing != nil else { return }
        let text = composer.text
        conversation?.editing = nil
        takeUp()
        guard text != message.text, !text.trimmed.isEmpty else {
            return say(Self.editedWasDeleted, isFailure: true)
        }
        composer.putInFront(text)
        hasUnsavedDraft = true
        say(Self.editedWasDeleted + " Your text is a draft now.", isFailure: true)
    }

    /// Puts the draft of an opened place into its line, behind a text that came back meanwhile.
    mutating func take(draft: String, at place: DraftPlace) -> [ChatEffect] {
        guard var whole = bringBack(draft, to: place) else { return [] }
        if let text = leftTexts.removeValue(forKey: place) {
            whole = bringBack(text, to: place) ?? whole
        }
        return whole == draft ? [] : keep(whole, at: place)
    }

    /// Gives a text back that could not be sent: into the line of its place, or into that of a
    /// later time if the place was left.
    mutating func giveBack(
        _ text: String, to place: DraftPlace, because reason: String
    ) -> [ChatEffect] {
        if let whole = bringBack(text, to: place) {
            say(reason, isFailure: true)
            return keep(whole, at: place)
        }
        var line = Composer(text)
        if let earlier = leftTexts[place] { line.putInFront(earlier) }
        leftTexts[place] = line.text
        let channel = channels.first { $0.url == place.channel }
        let title = channel.map { ChannelPane.title(of: $0, for: me) } ?? place.channel.rawValue
        let name = place.thread == nil ? title : "its thread in \(title)"
        say("Your text is in \(name) again: \(reason)", isFailure: true)
        return []
    }

    /// Gives the text of an edit back, for the next edit of its message.
    ///
    /// - Parameters:
    ///   - edit: The text, with the name of a change that the server has refused.
    ///   - target: The message.
    ///   - reason: The reason, to be read after a colon.
    /// - Returns: The effect that forgets an earlier refusal for the message, if there was one.
    mutating func giveBack(
        _ edit: RefusedEdit, of target: MessageTarget, because reason: String
    ) -> [ChatEffect] {
        say("e on the message tries again: \(reason)", isFailure: true)
        let before = refusedEdits.updateValue(edit, forKey: target)
        // The same refusal comes from the disk and as an event.
        return before?.change == edit.change ? [] : Self.forget(before)
    }

    /// Returns the text of a refused edit for the composer, which has to do with it from now on.
    mutating func takeRefusedEdit(of target: MessageTarget) -> (text: String, [ChatEffect])? {
        refusedEdits.removeValue(forKey: target).map { ($0.text, Self.forget($0)) }
    }

    private static func forget(_ edit: RefusedEdit?) -> [ChatEffect] {
        edit?.change.map { [.forget($0)] } ?? []
    }

    /// Tells of a change that the server has refused; the text of an edit comes back.
    ///
    /// The client keeps refused changes until they are forgotten. That of an edit stays until its
    /// text is taken, also over an end of the program.
    mutating func note(_ refusal: ChangeRefusal) -> [ChatEffect] {
        let (change, words) = (refusal.change, refusal.reason.words)
        guard case .edit(let target, let edit) = change.action, let text = edit.text,
            refusal.reason != .channelNotFound
        else {
            say("The server refused a change: \(words)", isFailure: true)
            return [.forget(change.id)]
        }
        let place = DraftPlace(change.channel)
        guard refusal.reason != .messageNotFound else {
            let effects = giveBack(text, to: place, because: Self.editedWasDeleted)
            return effects + [.forget(change.id)]
        }
        // The edit of an unsent message is refused when the server has the message.
        return giveBack(
            RefusedEdit(text: text, place: place, change: change.id),
            of: refusal.held?.target ?? target, because: words)
    }

    private static let editedWasDeleted = "The message that you edited was deleted."

    /// Leaves the chat: keeps the draft, the texts that came back for places that were left, and
    /// the texts of edits.
    mutating func quit() -> [ChatEffect] {
        let effects = leave()
        // The client keeps the text of an edit that the server has refused.
        let edits = refusedEdits.values.filter { $0.change == nil }.map { ($0.place, $0.text) }
        let texts = (leftTexts.map { ($0.key, $0.value) } + edits).sorted { first, second in
            (first.0.channel.rawValue, first.1) < (second.0.channel.rawValue, second.1)
        }
        (leftTexts, refusedEdits) = ([:], [:])
        return effects + texts.map { .addToDraft($0.1, $0.0) } + [.quit]
    }

    /// Keeps the text of a place on the disk at once.
    ///
    /// A text behind an edit or a thread has no later moment to be kept.
    private mutating func keep(_ text: String, at place: DraftPlace) -> [ChatEffect] {
        if place == draftPlace, conversation?.editing == nil { hasUnsavedDraft = false }
        return [.saveDraft(text, place)]
    }

    /// Puts a text back to its place, in front of one that is there.
    ///
    /// - Returns: The whole text of the place, in the composer or behind an edit or a thread; nil if
    ///   the place was left.
    private mutating func bringBack(_ text: String, to place: DraftPlace) -> String? {
        guard let conversation, place.channel == conversation.channel else { return nil }
        if place == draftPlace, conversation.editing == nil {
            composer.putInFront(text)
            return composer.text
        }
        // An edit or a thread has set the text aside: the channel's first, then the thread's.
        let isOpen = place.thread == nil || place.thread == conversation.thread?.id
        let index = place.thread == nil ? 0 : 1
        guard isOpen, setAside.indices.contains(index) else { return nil }
        var line = Composer(setAside[index])
        line.putInFront(text)
        setAside[index] = line.text
        return line.text
    }
}
