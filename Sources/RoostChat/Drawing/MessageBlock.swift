// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Text in one style.
struct Span {
    var units: [TextUnit]
    var style: CellStyle

    init(_ units: [TextUnit], _ style: CellStyle = .plain) {
        self.units = units
        self.style = style
    }

    init(_ text: String, _ style: CellStyle = .plain) {
        self.init(SafeText.line(text), style)
    }
}

/// A message of the timeline as rows.
struct MessageBlock {
    /// The values of the state that a message's rows depend on.
    struct Context {
        let me: UserID
        let timeZone: TimeZone
        let columns: Int
        let channel: GroupChannel?
        let files: [String: FileState]
        let uploads: [RequestID: UploadProgress]
        let isThread: Bool
    }

    /// The column of texts, behind a mark and the time.
    static let indent = 7

    private(set) var rows: [[Span]] = []
    private let context: Context
    private let message: Message

    init(_ shown: ShownMessage, after previous: ShownMessage?, _ context: Context) {
        self.context = context
        message = shown.message
        let time = LocalTime(message.createdAt, in: context.timeZone)
        let before = previous.map { LocalTime($0.message.createdAt, in: context.timeZone) }
        let isNewDay = before.map { !$0.isOnDay(of: time) } ?? true
        if isNewDay { rows.append(dayLine(time)) }
        if case .admin(let text) = message.content {
            appendText(text, .quiet)
            return
        }
        if isNewDay || !continues(previous?.message) {
            var head = [
                Span(" \(time.clock) ", .quiet),
                Span(Self.name(of: message, me: context.me), Self.nameStyle(message)),
            ]
            if context.isThread, previous == nil { head.append(Span("  thread", .quiet)) }
            rows.append(head)
        }
        guard !shown.isDeleted else {
            appendText(shown.isWaiting ? "will be deleted" : "deleted", .quiet)
            return
        }
        appendContent()
        appendMarks(isWaiting: shown.isWaiting)
        appendReactions()
        appendThread()
        appendFailure()
    }

    /// Whether the message continues the sender's message before, so that it needs no name.
    private func continues(_ previous: Message?) -> Bool {
        guard let previous, previous.sender?.user.id == message.sender?.user.id else {
            return false
        }
        if case .admin = previous.content { return false }
        let distance = message.createdAt.milliseconds.subtractingReportingOverflow(
            previous.createdAt.milliseconds)
        return !distance.overflow && distance.partialValue < 300_000
    }

    // MARK: Names

    static func name(of message: Message, me: UserID) -> String {
        guard let user = message.sender?.user else {
            return message.messageID == nil ? me.rawValue : "?"
        }
        return name(of: user)
    }

    static func name(of user: User) -> String {
        user.nickname.isEmpty ? user.id.rawValue : user.nickname
    }

    private static func nameStyle(_ message: Message) -> CellStyle {
        let colors: [CellColor] = [.name1, .name2, .name3, .name4, .name5, .name6]
        // The same on every start, unlike a hash value.
        let sum = (message.sender?.user.id.rawValue ?? "").utf8.reduce(7) { ($0 &* 31 &+ Int($1)) }
        return CellStyle(colors[Int(UInt(bitPattern: sum) % 6)], bold: true)
    }

    // MARK: Rows

    private func dayLine(_ time: LocalTime) -> [Span] {
        let name = " \(time.date) "
        let rest = max(context.columns - name.count - 1, 0)
        let left = String(repeating: "─", count: rest / 2)
        let right = String(repeating: "─", count: rest - rest / 2)
        return [Span(" " + left + name + right, .quiet)]
    }

    private mutating func append(_ line: [Span]) {
        rows.append([Span(String(repeating: " ", count: Self.indent))] + line)
    }

    private var textColumns: Int { max(context.columns - Self.indent, 4) }

    private mutating func appendText(_ text: String, _ style: CellStyle = .plain) {
        for paragraph in SafeText.paragraphs(text) {
            for line in paragraph.wrapped(to: textColumns) { append([Span(line, style)]) }
        }
    }

    private mutating func appendContent() {
        switch message.content {
        case .user(let text), .admin(let text): appendText(text)
        case .file(let file):
            for file in message.files { appendFile(file) }
            if !file.caption.isEmpty { appendText(file.caption) }
        case .unknown(let kind): appendText("a message of the kind \(kind)", .quiet)
        }
        if let poll = message.details.poll {
            appendText("◇ \(poll.title)", CellStyle(bold: true))
            for option in poll.options { appendText("  \(option.voteCount)  \(option.text)") }
        }
    }

    private mutating func appendFile(_ file: FileContent) {
        var line = [
            Span("▤ "), Span(file.name.isEmpty ? "file" : file.name, CellStyle(bold: true)),
        ]
        var note = file.size.bytes > 0 ? "  \(FileSize.text(file.size.bytes))" : ""
        var style = CellStyle.quiet
        switch context.files[file.url] {
        case nil: if message.messageID != nil { note += "  s saves" }
        case .loading(let received, let total):
            note = "  " + Self.progress(received, of: total)
            style = CellStyle(.waiting)
        case .saved(let path):
            note = "  saved as \(path)"
            style = CellStyle(.good)
        case .failed(let reason):
            note = "  not saved: \(reason)"
            style = CellStyle(.bad)
        }
        // A failed upload leaves its last progress behind.
        if message.status == .pending,
            let upload = message.requestID.flatMap({ context.uploads[$0] })
        {
            note = "  " + Self.progress(upload.sent.bytes, of: upload.total.bytes) + " sent"
            style = CellStyle(.waiting)
        }
        line.append(Span(note, style))
        let all = line.flatMap { span in span.units.map { ($0, span.style) } }
        // A long name is shortened, and the note goes below it.
        if all.reduce(0, { $0 + $1.0.columns }) <= textColumns {
            append(line)
        } else {
            append([line[0], Span(line[1].units.fitted(to: textColumns - 2), line[1].style)])
            for part in SafeText.line(note.trimmed).wrapped(to: textColumns) {
                append([Span(part, style)])
            }
        }
    }

    /// Returns a bar such as `▰▰▱▱▱ 40 %`.
    static func progress(_ received: Int64, of total: Int64?) -> String {
        guard let total, total > 0 else { return FileSize.text(received) }
        let share = min(max(Double(received) / Double(total), 0), 1)
        let full = Int(share * 8)
        let bar = String(repeating: "▰", count: full) + String(repeating: "▱", count: 8 - full)
        return "\(bar) \(Int(share * 100)) %"
    }

    /// Writes the delivery, the readers and the edit behind the text's last line.
    private mutating func appendMarks(isWaiting: Bool) {
        var marks: [Span] = []
        if message.updatedAt != nil { marks.append(Span(" edited", .quiet)) }
        if isWaiting { marks.append(Span(" ◷ change waits", CellStyle(.waiting))) }
        if message.sender?.user.id == context.me || message.messageID == nil {
            switch message.status {
            case .pending: marks.append(Span(" ◷", CellStyle(.waiting)))
            case .succeeded: marks.append(Span(isReadByAll ? " ✓✓" : " ✓", CellStyle(.good)))
            case .failed, .canceled: break
            }
        }
        let columns = marks.reduce(0) { $0 + $1.units.columns }
        guard columns > 0, let last = rows.last else { return }
        if last.reduce(0, { $0 + $1.units.columns }) + columns <= context.columns {
            rows[rows.count - 1] += marks
        } else {
            append(marks)
        }
    }

    private var isReadByAll: Bool {
        guard let channel = context.channel, channel.members.count > 1 else { return false }
        return channel.unreadMembers(of: message).isEmpty
    }

    private mutating func appendReactions() {
        guard let reactions = message.details.reactions, !reactions.isEmpty else { return }
        var units: [TextUnit] = []
        for reaction in reactions {
            // The number is given only if the list of users is not complete.
            let count = max(reaction.count, reaction.userIDs.count)
            let mark = reaction.userIDs.contains(context.me) ? "*" : ""
            units += SafeText.line("\(reaction.key) \(count)\(mark)  ")
        }
        for line in units.wrapped(to: textColumns) { append([Span(line, CellStyle(.accent))]) }
    }

    private mutating func appendThread() {
        guard !context.isThread, let thread = message.details.threadInfo, thread.replyCount > 0
        else {
            return
        }
        let word = thread.replyCount == 1 ? "reply" : "replies"
        append([Span("↳ \(thread.replyCount) \(word)", CellStyle(.accent))])
    }

    private mutating func appendFailure() {
        switch message.delivery {
        case .unsent(_, .failed(let code)):
            let keys = message.isResendable ? "x sends again, d discards" : "d discards"
            appendText("✗ not sent: \(code.words) (\(keys))", CellStyle(.bad))
        case .unsent(_, .canceled): appendText("✗ canceled (d discards)", CellStyle(.bad))
        case .unsent(_, .pending), .delivered: break
        }
    }
}
