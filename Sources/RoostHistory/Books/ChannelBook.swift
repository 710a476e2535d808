// SPDX-License-Identifier: Apache-2.0

/// Everything that the histories say about one channel.
struct ChannelBook: Sendable {
    struct Message: Sendable {
        let id: Int64
        /// The server's time; -1 before any client showed the message.
        var createdAt: Int64 = -1
        /// The numbers of the request ID, the sender's name and the first text; 0 if unknown.
        var request: Int32 = 0
        var sender: Int32 = 0
        var text: Int32 = 0
        /// The first line that showed the message.
        var place = HistoryPlace(file: 0, line: 0)
        var isSeen: Bool { createdAt >= 0 }
        /// The first acknowledgement of the message to its sender.
        var acknowledged: HistoryPlace?
        /// Whether only acknowledgements have shown the message.
        var isOnlyAcknowledged = false
        /// Whether a complaint about its place or its request ID was made already.
        var isDoubtful = false
        var hasAcknowledgedEdit = false
        var hasAcknowledgedDeletion = false
        var hasVersions = false

        var position: Position { Position(createdAt: createdAt, id: id) }
    }

    private struct TextKey: Hashable {
        var message: Int32
        var text: Int32
    }

    private struct VersionKey: Hashable {
        var message: Int32
        var client: Int32
    }

    /// A text of a message besides its first one, with the first line that showed it.
    struct OtherText: Sendable {
        var message: Int32
        var text: Int32
        var place: HistoryPlace
    }

    /// A text that a client showed after its own acknowledged edit; it may be an earlier one.
    struct Doubt: Sendable {
        var client: Int32
        var message: Int32
        var text: Int32
        var edit: EditBook.Acknowledgement
        var place: HistoryPlace
    }

    let name: String
    private(set) var messages: [Message] = []
    private var indices: [Int64: Int32] = [:]
    private var knownTexts: Set<TextKey> = []
    private(set) var otherTexts: [OtherText] = []
    private var versions: [VersionKey: Int64] = [:]
    /// The last call of each client that changes the channel.
    private var actions: [Int32: Int64] = [:]
    /// The last place that each client knew of.
    private var ends: [Int32: Position] = [:]
    var edits = EditBook()
    var deletions = DeletionBook()
    var queue = QueueBook()
    var views = ViewBook()
    var doubts: [Doubt] = []

    init(name: String) {
        self.name = name
    }

    subscript(message: Int32) -> Message {
        get { messages[Int(message)] }
        _modify { yield &messages[Int(message)] }
    }

    /// Returns the number of a message, from 0.
    ///
    /// - Parameters:
    ///   - id: The server's ID; a new one gets the next number.
    ///   - hint: The number that is probably right, such as the one behind the last.
    /// - Returns: The number.
    mutating func number(of id: Int64, hint: Int32) -> Int32 {
        if hint < messages.count, messages[Int(hint)].id == id { return hint }
        if let known = indices[id] { return known }
        let number = Int32(clamping: messages.count)
        indices[id] = number
        messages.append(Message(id: id))
        return number
    }

    /// Notes a text besides the first one of a message.
    mutating func noteText(_ text: Int32, of message: Int32, at place: HistoryPlace) {
        guard knownTexts.insert(TextKey(message: message, text: text)).inserted else { return }
        otherTexts.append(OtherText(message: message, text: text, place: place))
    }

    /// Notes the time of an edit that a client showed.
    ///
    /// - Returns: The later time that this client showed before; nil if there is none.
    mutating func noteVersion(
        _ updatedAt: Int64?, of message: Int32, to client: Int32
    ) -> Int64? {
        guard updatedAt != nil || messages[Int(message)].hasVersions else { return nil }
        messages[Int(message)].hasVersions = true
        let key = VersionKey(message: message, client: client)
        let (seen, now) = (versions[key] ?? -1, updatedAt ?? -1)
        if now < seen { return seen }
        versions[key] = now
        return nil
    }

    /// Notes a call that changes the channel.
    mutating func noteAction(of client: Int32, at number: Int64) { actions[client] = number }

    /// The clients that have changed the channel or shown it.
    var users: Set<Int32> {
        Set(actions.keys).union(views.views.lazy.filter { !$0.isLog }.map(\.client))
    }

    /// Whether a client has changed the channel behind a line of its own.
    func hasActed(_ client: Int32, after number: Int64) -> Bool {
        actions[client].map { $0 > number } ?? false
    }

    /// Notes that a client knows a message at a place.
    mutating func extend(to position: Position, for client: Int32) {
        if ends[client, default: .first] < position { ends[client] = position }
    }

    func end(for client: Int32) -> Position { ends[client] ?? .first }
}
