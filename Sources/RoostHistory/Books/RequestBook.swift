// SPDX-License-Identifier: Apache-2.0

/// The send requests by their IDs: the call of each, its acknowledgement and its message.
struct RequestBook: Sendable {
    struct Request: Sendable {
        /// The client that made the call; -1 if no call is known.
        var client: Int32 = -1
        /// The number of the call's line.
        var call: Int64 = 0
        /// The channel and the text of the call.
        var calledChannel: Int32 = -1
        var text: Int32 = 0
        /// The channel and the message that carry the request ID; -1 if none was seen.
        var channel: Int32 = -1
        var message: Int32 = -1
        /// Whether the message was failed, sent again by hand or canceled: then it has no place in
        /// the order of calls.
        var isOutOfOrder = false

        var hasCall: Bool { client >= 0 }
    }

    private var ids = TextTable()
    private(set) var requests: [Request] = []

    var count: Int { requests.count }

    subscript(number: Int32) -> Request {
        get { requests[Int(number) - 1] }
        _modify { yield &requests[Int(number) - 1] }
    }

    /// Returns the number of a request, from 1; a new one gets the next number.
    mutating func number(of id: String) -> Int32 {
        let number = ids.number(of: id)
        if Int(number) > requests.count { requests.append(Request()) }
        return number
    }

    /// Returns the ID of a request; nil for number 0.
    func id(of number: Int32) -> String? { number == 0 ? nil : ids[number] }

    /// Whether a request has this ID.
    func isRequest(_ number: Int32, _ id: String) -> Bool { ids.isText(number, equalTo: id) }
}
