// SPDX-License-Identifier: Apache-2.0

/// The recording clients, each with its place in its own order and its unanswered calls.
struct ClientBook: Sendable {
    /// A send call without a successful answer: its request ID is unknown.
    struct OpenSend: Sendable {
        var channel: Int32
        var text: Int32
    }

    /// A call for an edit or a deletion without an answer.
    struct OpenChange: Sendable {
        var channel: Int
        var message: Int32
        /// The text of an edit; nil for a deletion.
        var text: Int32?
    }

    /// A call without an answer that sends a request again or cancels it.
    struct OpenHandCall: Sendable {
        var request: Int32
        var isResend: Bool
    }

    /// A client's last call for a snapshot, with what the client knew before it.
    struct ViewCall: Sendable {
        var number: Int64
        var channel: Int32
        var known: Position
    }

    struct Client: Sendable {
        let name: String
        /// The number of the user's name; 0 for a recorder that is no user.
        var user: Int32
        var lastNumber: Int64
        var missingLines: Int64 = 0
        /// By the number of the call.
        var openSends: [Int64: OpenSend] = [:]
        /// By the number of the call.
        var openChanges: [Int64: OpenChange] = [:]
        /// By the number of the call.
        var openHandCalls: [Int64: OpenHandCall] = [:]
        var viewCall: ViewCall?
    }

    private(set) var clients: [Client] = []
    private var indices: [String: Int32] = [:]
    /// The numbers of the users whose clients wrote histories.
    private(set) var users: Set<Int32> = []
    /// The numbers of the users with a client whose lines are not all there.
    private(set) var usersWithMissingLines: Set<Int32> = []

    subscript(index: Int32) -> Client {
        get { clients[Int(index)] }
        _modify { yield &clients[Int(index)] }
    }

    func index(of name: String) -> Int32? { indices[name] }

    /// Returns the client of a line, and moves it forward in the client's order.
    ///
    /// - Throws: A sentence if the line is not behind the client's line before it.
    mutating func advance(_ name: String, to number: Int64) throws(Sentence) -> Int32 {
        guard let index = indices[name] else {
            throw Sentence(text: "The first line of \(name) must be of the kind “start”.")
        }
        let last = clients[Int(index)].lastNumber
        guard number > last else {
            throw Sentence(
                text: "The line has the number \(number), and \(name) had \(last) before: its "
                    + "lines must be given in their order, and once.")
        }
        if number - last > 1 {
            clients[Int(index)].missingLines += number - last - 1
            usersWithMissingLines.insert(clients[Int(index)].user)
        }
        clients[Int(index)].lastNumber = number
        return index
    }

    /// Adds a client, or notes that a known one has started again.
    mutating func start(_ name: String, at number: Int64, user: Int32) throws(Sentence) -> Int32 {
        if indices[name] != nil {
            let index = try advance(name, to: number)
            guard clients[Int(index)].user == user else {
                throw Sentence(
                    text: "\(name) has started as another user before: give each client a name of "
                        + "its own.")
            }
            return index
        }
        let index = Int32(clamping: clients.count)
        indices[name] = index
        clients.append(Client(name: name, user: user, lastNumber: number))
        // The lines before the first given one may be in another file.
        clients[Int(index)].missingLines = max(number, 1) - 1
        if number > 1 { usersWithMissingLines.insert(user) }
        if user != 0 { users.insert(user) }
        return index
    }

    struct Sentence: Error {
        let text: String
    }
}
