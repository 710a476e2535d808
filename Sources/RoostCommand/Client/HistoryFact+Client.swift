// SPDX-License-Identifier: Apache-2.0

import Roost
package import RoostHistory
package import RoostModel
package import RoostRequests
package import RoostWire

extension HistoryMessage {
    /// Creates the record of a message; nil for one that the server does not have.
    package init?(_ message: Message) {
        guard let id = message.messageID else { return nil }
        self.init(
            id: id.rawValue, createdAt: message.createdAt.milliseconds,
            request: message.requestID?.rawValue, sender: message.sender?.user.id.rawValue,
            text: message.text, updatedAt: message.updatedAt?.milliseconds)
    }
}

extension HistoryCall {
    /// Creates the record of a request; nil for one that neither reads nor changes data.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - open: The channel of the open timeline, for requests that name none.
    package init?(_ request: Request, open: ChannelURL?) {
        switch request {
        case .connect, .disconnect, .close, .saveDraft, .drafts, .health, .waitIdle, .quit,
            .typing, .search, .holes, .download, .inbox, .acknowledge:
            return nil
        case .react(_, let adds, let id, let channel):
            let name = adds ? Request.Name.addReaction : .removeReaction
            self.init(name.rawValue, channel: (channel ?? open)?.rawValue, message: id.rawValue)
        case .markRead(_, let channel):
            self.init(Request.Name.markRead.rawValue, channel: (channel ?? open)?.rawValue)
        case .change(let change, let channel):
            self.init(change.requestName, channel: (channel ?? open)?.rawValue)
        case .createChannel: self.init("create_channel")
        case .channels: self.init("channels")
        case .moreChannels: self.init("more_channels")
        case .open(let channel, _): self.init("open", channel: channel.rawValue)
        case .older: self.init("older", channel: open?.rawValue)
        case .newer: self.init("newer", channel: open?.rawValue)
        case .send(let text, let channel):
            guard let channel = channel ?? open else { return nil }
            self.init("send", channel: channel.rawValue, text: text)
        case .sendFile(_, let text, let channel):
            guard let channel = channel ?? open else { return nil }
            self.init("send_file", channel: channel.rawValue, text: text)
        case .edit(let id, let text, let channel):
            guard let channel = channel ?? open else { return nil }
            self.init("edit", channel: channel.rawValue, text: text, message: id.rawValue)
        case .delete(let id, let channel):
            guard let channel = channel ?? open else { return nil }
            self.init("delete", channel: channel.rawValue, message: id.rawValue)
        case .resend(let id): self.init("resend", request: id.rawValue)
        case .cancel(let id): self.init("cancel", request: id.rawValue)
        case .snapshot: self.init("snapshot", channel: open?.rawValue)
        case .cache: self.init("cache")
        case .compare(let channel): self.init("compare", channel: (channel ?? open)?.rawValue)
        }
    }
}

extension HistoryAnswer {
    /// Creates the record of an answer line; a resend that found nothing to send is not `ok`.
    package init(_ answer: JSONValue, to call: Int64) {
        self.init(
            call: call, isOK: answer["ok"] == true && answer["result"]?["resent"] != false,
            request: answer["result"]?["request_id"]?.string, code: answer["error"]?["code"]?.int)
    }
}

extension HistoryFact {
    /// Creates the record of an outcome; nil for an event that neither acknowledges nor refuses.
    package init?(_ event: OutboxEvent) {
        switch event {
        case .delivered(let message):
            guard let record = HistoryMessage(message) else { return nil }
            self = .acknowledged(record, channel: message.channelURL.rawValue)
        case .failed(let message):
            guard case .unsent(let request, .failed(let code)) = message.delivery else {
                return nil
            }
            self = .failed(
                request: request.rawValue, code: Int64(code.rawValue),
                channel: message.channelURL.rawValue)
        case .canceled(let message):
            guard let request = message.requestID else { return nil }
            self = .canceled(request: request.rawValue, channel: message.channelURL.rawValue)
        case .changeMade(let change):
            switch change.action {
            case .edit(.delivered(let id), let edit):
                guard let text = edit.text else { return nil }
                self = .edited(id.rawValue, text: text, channel: change.channel.rawValue)
            case .delete(.delivered(let id)):
                self = .deleted(id.rawValue, channel: change.channel.rawValue)
            default: return nil
            }
        case .changeRefused(let refusal):
            guard refusal.change.isRecorded else { return nil }
            self = .refused(
                refusal.change.messageID, code: Int64(refusal.reason.rawValue),
                channel: refusal.change.channel.rawValue, action: refusal.change.requestName,
                request: refusal.change.id.rawValue)
        case .changeDropped(let change):
            guard change.isRecorded else { return nil }
            self = .refused(
                change.messageID, code: nil, channel: change.channel.rawValue,
                action: change.requestName, request: change.id.rawValue)
        case .queued, .uploading, .uploaded, .delayed, .retried, .changeQueued, .draftChanged,
            .unrecorded:
            return nil
        }
    }

    /// Creates the record of a timeline's change; nil if it is about unsent messages only.
    package init?(_ changes: ListDiff<Message>, of channel: ChannelURL) {
        let record = HistoryChange(
            channel: channel.rawValue,
            inserted: changes.inserted.compactMap { HistoryMessage($0) },
            updated: changes.updated.compactMap { HistoryMessage($0.after) },
            deleted: changes.deleted.compactMap { $0.messageID?.rawValue })
        guard !record.inserted.isEmpty || !record.updated.isEmpty || !record.deleted.isEmpty else {
            return nil
        }
        self = .change(record)
    }
}

extension PendingChange {
    /// Whether a history has the outcome; the refusal of a reaction says nothing about a text.
    fileprivate var isRecorded: Bool {
        switch action {
        case .edit, .delete, .channel: true
        case .addReaction, .removeReaction, .markAsRead: false
        }
    }

    /// The name of the request in a history.
    fileprivate var requestName: String? {
        switch action {
        case .edit: HistoryCall.Known.edit.rawValue
        case .delete: HistoryCall.Known.delete.rawValue
        case .channel(let change): change.requestName
        case .addReaction, .removeReaction, .markAsRead: nil
        }
    }

    /// The changed message, if the server has it.
    fileprivate var messageID: Int64? {
        if case .delivered(let id)? = action.target { id.rawValue } else { nil }
    }
}

extension ChannelChange {
    /// The name in a history.
    fileprivate var requestName: String {
        switch self {
        case .leave: Request.Name.leave.rawValue
        case .hide: Request.Name.hide.rawValue
        case .unhide: Request.Name.unhide.rawValue
        case .update: Request.Name.updateChannel.rawValue
        case .invite: Request.Name.invite.rawValue
        case .setPushTrigger: Request.Name.setPushTrigger.rawValue
        case .setCountPreference, .mute, .unmute, .pin, .unpin: kind
        }
    }
}
