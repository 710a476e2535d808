// SPDX-License-Identifier: Apache-2.0

import RoostWire

extension HistoryLine {
    /// The line as JSON, without its end.
    package var text: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }

    /// The line as bytes of UTF-8, with its end.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("is", fact.kind.rawValue)
            writer.field("client", client)
            writer.field("n", number)
            writer.fields(of: fact)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func fields(of fact: HistoryFact) {
        switch fact {
        case .start(let start):
            field("form", start.form)
            field("user", ifPresent: start.user)
            field("app_id", ifPresent: start.application)
        case .call(let call):
            field("do", call.name)
            field("channel", ifPresent: call.channel)
            field("text", ifPresent: call.text)
            field("message_id", ifPresent: call.message)
            field("request_id", ifPresent: call.request)
        case .answer(let answer):
            field("call", answer.call)
            field("ok", answer.isOK)
            field("request_id", ifPresent: answer.request)
            field("error_code", ifPresent: answer.code)
        case .acknowledged(let message, let channel):
            field("channel", channel)
            name("message")
            self.message(message)
        case .edited(let id, let text, let channel):
            field("channel", channel)
            field("message_id", id)
            field("text", text)
        case .deleted(let id, let channel):
            field("channel", channel)
            field("message_id", id)
        case .failed(let request, let code, let channel):
            field("channel", channel)
            field("request_id", request)
            field("error_code", ifPresent: code)
        case .canceled(let request, let channel):
            field("channel", channel)
            field("request_id", request)
        case .refused(let id, let code, let channel, let action, let request):
            field("do", ifPresent: action)
            field("channel", channel)
            field("message_id", ifPresent: id)
            field("request_id", ifPresent: request)
            field("error_code", ifPresent: code)
        case .change(let change):
            field("channel", change.channel)
            messages("inserted", change.inserted)
            messages("updated", change.updated)
            array("deleted") { writer in
                for id in change.deleted { writer.int(id) }
            }
        case .snapshot(let view), .log(let view): fields(of: view, isLog: fact.kind == .log)
        }
    }

    private mutating func fields(of view: HistoryView, isLog: Bool) {
        field("channel", view.channel)
        field("call", ifPresent: view.call)
        messages("messages", view.messages)
        field("has_older", view.hasOlder)
        field("has_newer", view.hasNewer)
        if !isLog { field("caught_up", view.isCaughtUp) }
    }

    private mutating func messages(_ name: String, _ messages: [HistoryMessage]) {
        array(name) { writer in
            for message in messages { writer.message(message) }
        }
    }

    private mutating func message(_ message: HistoryMessage) {
        object { writer in
            writer.field("id", message.id)
            writer.field("created_at", message.createdAt)
            writer.field("request_id", ifPresent: message.request)
            writer.field("sender", ifPresent: message.sender)
            writer.field("text", message.text)
            writer.field("updated_at", ifPresent: message.updatedAt)
        }
    }

    private mutating func field(_ name: String, ifPresent value: String?) {
        if let value { field(name, value) }
    }

    private mutating func field(_ name: String, ifPresent value: Int64?) {
        if let value { field(name, value) }
    }
}
