// SPDX-License-Identifier: Apache-2.0

package import RoostWire

/// A timeline in a client's answer to `snapshot`.
package struct ShownTimeline: Equatable, Sendable {
    package struct Message: Equatable, Sendable {
        package let id: Int64?
        package let requestID: String?
        package let text: String
        package let sender: String
        package let isEdited: Bool
        package let status: String

        package var isPending: Bool { status == "pending" }
        package var isDelivered: Bool { status == "succeeded" }
    }

    package let messages: [Message]
    package let hasOlder: Bool
    package let hasNewer: Bool
    package let hasHugeGap: Bool

    package init(_ result: JSONValue) {
        messages = (result["messages"]?.array ?? []).map { message in
            Message(
                id: message["id"]?.int, requestID: message["request_id"]?.string,
                text: message["text"]?.string ?? "", sender: message["sender"]?.string ?? "",
                isEdited: message["updated_at"]?.int != nil,
                status: message["status"]?.string ?? "")
        }
        hasOlder = result["has_older"]?.bool ?? false
        hasNewer = result["has_newer"]?.bool ?? false
        hasHugeGap = result["has_huge_gap"]?.bool ?? false
    }

    package var texts: [String] { messages.map(\.text) }

    /// The part of a timeline that is equal for both people: the server's IDs, the senders and the
    /// texts, in order.
    ///
    /// Request IDs are left out, because the server sends them to the sender only.
    package var agreed: [String] {
        messages.map { message in
            let id = message.id.map { String($0) } ?? "unsent"
            return "\(id) \(message.sender): \(message.text)\(message.isEdited ? " (edited)" : "")"
        }
    }
}
