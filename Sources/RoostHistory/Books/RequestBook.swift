// SPDX-License-Identifier: Apache-2.0

/// The send requests by users and IDs: the call of each, its acknowledgement and its message.
///
/// The clients of two users may count their requests alike. A line that names no user means the
/// first request with its ID.
struct RequestBook: Sendable {
    struct Request: Sendable {
        private enum Givers: Equatable {
            case none
            case one(Int32)
            case several
        }

        /// The number of the ID.
        let id: Int32
        /// The number of the user's name; 0 before a line names it.
        fileprivate(set) var user: Int32
        /// The client that made the call; -1 if no call is known.
        var client: Int32 = -1
        /// The number of the call's line.
        var call: Int64 = 0
        /// The line of the call's answer.
        var answer = HistoryPlace(file: 0, line: 0)
        /// The channel and the text of the call.
        var calledChannel: Int32 = -1
        var text: Int32 = 0
        /// The channel and the message that carry the request ID; -1 if none was seen.
        var channel: Int32 = -1
        var message: Int32 = -1
        /// Whether the message failed, was canceled or sent again by hand.
        private var isMoved = false
        /// The clients that gave the message up since its own client sent it again by hand.
        private var givers = Givers.none
        /// The number of times that the message or the change was sent again by hand.
        var resends: Int32 = 0
        /// The calls without an answer that may have sent the message again or canceled it.
        var openCalls: Int32 = 0

        var isSentAgain: Bool { resends > 0 }
        var hasCall: Bool { client >= 0 }

        /// Whether the message may have no place in the order of calls: a resend goes to the end of
        /// its queue.
        var isOutOfOrder: Bool { isMoved || openCalls > 0 }

        /// Whether the message may have been given up: failed or canceled, and not sent again since.
        var isGivenUp: Bool { givers != .none || openCalls > 0 }

        fileprivate init(id: Int32, user: Int32) {
            self.id = id
            self.user = user
        }

        /// Notes that the message failed or was canceled.
        mutating func giveUp(by client: Int32) {
            isMoved = true
            // The line may come before the answer that names the message's own client.
            givers = givers == .none || givers == .one(client) ? .one(client) : .several
        }

        /// Notes that the message was sent again by hand.
        ///
        /// The order of two clients is unknown, so only its own client's failures are over.
        mutating func sendAgain(by client: Int32) {
            isMoved = true
            if client == self.client, givers == .one(client) { givers = .none }
        }
    }

    private struct Key: Hashable {
        var id: Int32
        var user: Int32
    }

    private var ids = TextTable()
    private(set) var requests: [Request] = []
    /// The first request with each ID.
    private var firsts: [Int32] = []
    /// The requests with the ID of another user's request.
    private var others: [Key: Int32] = [:]

    var count: Int { requests.count }

    subscript(number: Int32) -> Request {
        get { requests[Int(number) - 1] }
        _modify { yield &requests[Int(number) - 1] }
    }

    /// Returns the number of a request, from 1; a new one gets the next number.
    ///
    /// - Parameters:
    ///   - text: The ID.
    ///   - user: The number of the user's name; 0 if it is unknown.
    /// - Returns: The number.
    mutating func number(of text: String, by user: Int32) -> Int32 {
        let id = ids.number(of: text)
        guard Int(id) <= firsts.count else {
            let number = add(id, user)
            firsts.append(number)
            return number
        }
        let first = firsts[Int(id) - 1]
        if self[first].user == 0 { self[first].user = user }
        if user == 0 || self[first].user == user { return first }
        let key = Key(id: id, user: user)
        if let known = others[key] { return known }
        let number = add(id, user)
        others[key] = number
        return number
    }

    private mutating func add(_ id: Int32, _ user: Int32) -> Int32 {
        requests.append(Request(id: id, user: user))
        return Int32(clamping: requests.count)
    }

    /// Returns the ID of a request; nil for number 0.
    func id(of number: Int32) -> String? { number == 0 ? nil : ids[self[number].id] }

    /// Whether a request has this ID.
    func isRequest(_ number: Int32, _ id: String) -> Bool {
        number != 0 && ids.isText(self[number].id, equalTo: id)
    }
}
