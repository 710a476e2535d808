// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Any operation of the outbox.
package enum OutboxOperation: SyncOperation {
    case loading(OutboxLoading)
    case sending(OutboxSending)
    case changing(OutboxChanging)
    case folding(OutboxFolding)
    case resending(OutboxResending)
    case canceling(OutboxCanceling)
    case outcome(OutboxOutcome)
    case refusal(OutboxRefusal)
    case refusals(OutboxRefusals)
    case writing(OutboxWriting)
    case missing(OutboxMissingItems)
    case matching(OutboxUnsureMessages)
    case turn(OutboxTurn)
    case search(OutboxSearch)
    case arrivalSearch(OutboxArrivalSearch)
    case delivery(OutboxDelivery)
    case changeDelivery(OutboxChangeDelivery)
    case newestPage(OutboxNewestPage)
    case drafting(OutboxDrafting)

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch self {
        case .loading(let part): resume(part, as: Self.loading, reply, &sync)
        case .sending(let part): resume(part, as: Self.sending, reply, &sync)
        case .changing(let part): resume(part, as: Self.changing, reply, &sync)
        case .folding(let part): resume(part, as: Self.folding, reply, &sync)
        case .resending(let part): resume(part, as: Self.resending, reply, &sync)
        case .canceling(let part): resume(part, as: Self.canceling, reply, &sync)
        case .outcome(let part): resume(part, as: Self.outcome, reply, &sync)
        case .refusal(let part): resume(part, as: Self.refusal, reply, &sync)
        case .refusals(let part): resume(part, as: Self.refusals, reply, &sync)
        case .writing(let part): resume(part, as: Self.writing, reply, &sync)
        case .missing(let part): resume(part, as: Self.missing, reply, &sync)
        case .matching(let part): resume(part, as: Self.matching, reply, &sync)
        case .turn(let part): resume(part, as: Self.turn, reply, &sync)
        case .search(let part): resume(part, as: Self.search, reply, &sync)
        case .arrivalSearch(let part):
            resume(part, as: Self.arrivalSearch, reply, &sync)
        case .delivery(let part): resume(part, as: Self.delivery, reply, &sync)
        case .changeDelivery(let part): resume(part, as: Self.changeDelivery, reply, &sync)
        case .newestPage(let part): resume(part, as: Self.newestPage, reply, &sync)
        case .drafting(let part): resume(part, as: Self.drafting, reply, &sync)
        }
    }
}

/// An event from outside the outbox.
package enum OutboxInput: Equatable, Codable, Sendable {
    /// Another process may have written.
    case changedElsewhere
    /// The files are about to be closed.
    case suspended
    /// The files are open again after so many suspensions; a further one is about to close them.
    case resumed(after: Int)
    /// The app cancels a waiting message.
    case gaveUp(RequestID)
}

extension SyncState {
    mutating func take(_ input: OutboxInput) {
        switch input {
        case .changedElsewhere: requestRead()
        case .suspended: suspendOutbox()
        case .resumed(let count): if count == outbox.suspensions { resumeOutbox() }
        case .gaveUp(let requestID): moveOutbox(.failed(requestID, .pendingError, .socket))
        }
    }
}
