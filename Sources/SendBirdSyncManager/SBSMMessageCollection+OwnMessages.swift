// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel
public import SendBirdSDK

extension SBSMMessageCollection {
    /// Has no effect: the collection shows the user's own messages automatically.
    public func appendMessage(_ message: SBDBaseMessage?) {}

    /// Has no effect: the collection shows the user's own changes automatically.
    public func updateMessage(_ message: SBDBaseMessage?) {}

    /// Has no effect: the collection shows the outcome of the user's own messages automatically.
    public func handleSendMessageResponse(_ message: SBDBaseMessage?, _ error: SBDError?) {}

    /// Cancels the user's own unsent message; to remove a sent one, delete it in its channel.
    public func deleteMessage(_ message: SBDBaseMessage?) {
        guard let message, message.messageId == 0, !message.requestId.isEmpty,
            message.sender?.userId == SBDMain.door.account?.rawValue
        else { return }
        deleteMessage(withRequestId: message.requestId)
    }

    /// Has no effect: the collection removes a message when the server has deleted it.
    public func deleteSucceededMessage(withMessageId messageId: Int64) {}

    /// Cancels the user's own failed message.
    public func deleteFailedMessage(withRequestId requestId: String) {
        deleteMessage(withRequestId: requestId)
    }

    /// Cancels the user's own pending message.
    public func deletePendingMessage(withRequestId requestId: String) {
        deleteMessage(withRequestId: requestId)
    }

    /// Cancels the user's own unsent message.
    public func deleteMessage(withRequestId requestId: String) {
        SBDMain.door.performInOrder(then: .none) { client throws(RoostError) in
            await client.cancel(RequestID(requestId))
        }
    }
}
