// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension Message {
    /// The message as failed.
    func failed(by reason: RoostError.Code) -> Message {
        guard let requestID else { return self }
        var failed = self
        failed.delivery = .unsent(requestID, .failed(reason))
        return failed
    }
}

extension RoostError {
    static let waiting = RoostError(
        .connectionRequired, remedy: .retry,
        message: "There is no connection; the message is kept and sent when there is one.")

    /// The error of a message that could not be sent and does not wait for a connection.
    static func unsent(_ reason: Code) -> RoostError {
        RoostError(
            reason, remedy: .retry,
            message: "The message was not sent; it can be sent again with a connection.")
    }
}
