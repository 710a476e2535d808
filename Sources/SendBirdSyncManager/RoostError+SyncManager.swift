// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RoostError {
    /// The error with the sync manager's own code for a fetch beside another one and for failures
    /// of the database.
    var withSyncManagerCode: RoostError {
        let own: SBSMErrorCode
        switch code {
        case .queryInProgress: own = .duplicatedFetch
        case .localDatabaseError: own = .databaseError
        default: return self
        }
        return RoostError(RoostError.Code(own.rawValue), remedy: remedy, message: message)
    }
}
