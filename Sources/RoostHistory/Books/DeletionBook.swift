// SPDX-License-Identifier: Apache-2.0

/// The deletions of one channel: calls, and acknowledgements by client.
struct DeletionBook: Sendable {
    struct Acknowledgement: Sendable {
        var number: Int64
        var place: HistoryPlace
    }

    private var asked: Set<Int32> = []
    /// The first call of each client for each message.
    private var calls: [ChangeKey: Int64] = [:]
    private(set) var acknowledgements: [ChangeKey: Acknowledgement] = [:]

    var count: Int { acknowledgements.count }

    mutating func call(_ message: Int32, by client: Int32, at number: Int64) {
        asked.insert(message)
        let key = ChangeKey(message: message, client: client)
        if calls[key] == nil { calls[key] = number }
    }

    mutating func acknowledge(
        _ message: Int32, by client: Int32, at number: Int64, _ place: HistoryPlace
    ) {
        let key = ChangeKey(message: message, client: client)
        // An acknowledged deletion was asked for, though perhaps by another process.
        asked.insert(message)
        if acknowledgements[key] == nil {
            acknowledgements[key] = Acknowledgement(number: number, place: place)
        }
    }

    /// Whether any client asked for the deletion, so that the message may be gone.
    func isAsked(_ message: Int32) -> Bool { asked.contains(message) }

    /// Whether a client had asked for the deletion before a line of its own.
    func isAsked(_ message: Int32, by client: Int32, before number: Int64) -> Bool {
        calls[ChangeKey(message: message, client: client)].map { $0 < number } ?? false
    }

    /// Returns the acknowledgement that the client had before a line of its own.
    func acknowledgement(
        of message: Int32, to client: Int32, before number: Int64
    ) -> Acknowledgement? {
        guard let found = acknowledgements[ChangeKey(message: message, client: client)],
            found.number < number
        else { return nil }
        return found
    }
}
