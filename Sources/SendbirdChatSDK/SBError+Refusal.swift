// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostModel

// Calls of the old library that the client cannot make answer with one of these errors.

extension RoostError {
    /// Returns the error of a call that the client cannot make.
    static func notSupported(_ sentence: String) -> RoostError { .unsupported(sentence) }

    static func invalid(_ sentence: String) -> RoostError {
        RoostError(.invalidParameter, remedy: .correctInput, message: sentence)
    }
}

extension Door {
    /// Answers a call that the client cannot make, on the app's queue.
    func refuse(_ handler: SBErrorHandler?, _ sentence: String) {
        notify(.error(handler), .notSupported(sentence))
    }

    /// Answers a call that the client cannot make, on the app's queue.
    func refuse<Object>(_ handler: ((Object?, SBError?) -> Void)?, _ sentence: String) {
        refuse(handler.map { handler in { error in handler(nil, error) } }, sentence)
    }
}
