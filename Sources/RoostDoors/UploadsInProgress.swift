// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The messages with files whose sending goes on without a connection.
///
/// An upload outlives the connection in which it began. If it ends without one, the message follows
/// by HTTP (R146).
package struct UploadsInProgress: Equatable, Sendable {
    private var uploading: Set<RequestID> = []
    /// The messages whose files have arrived without a connection.
    private var posted: Set<RequestID> = []

    package init() {}

    package var isEmpty: Bool { uploading.isEmpty && posted.isEmpty }

    package func contains(_ requestID: RequestID) -> Bool {
        uploading.contains(requestID) || posted.contains(requestID)
    }

    /// Records that bytes of a message's file were sent.
    package mutating func noteBytes(of requestID: RequestID) {
        posted.remove(requestID)
        uploading.insert(requestID)
    }

    /// Records that the server has a file of a message.
    package mutating func noteFile(of requestID: RequestID, isConnected: Bool) {
        uploading.remove(requestID)
        if !isConnected { posted.insert(requestID) }
    }

    /// Records a connection; messages without files to upload are sent over it.
    package mutating func noteConnection() { posted = [] }

    /// Removes a message, whose attempt has ended.
    package mutating func end(_ requestID: RequestID) {
        uploading.remove(requestID)
        posted.remove(requestID)
    }
}
