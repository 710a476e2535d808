// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Any operation of the outbox.
package enum OutboxOperation: Equatable, Codable, Sendable {
    case opening(OutboxOpening)
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
    case delivery(OutboxDelivery)
    case newestPage(OutboxNewestPage)
    case drafting(OutboxDrafting)

    mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch self {
        case .opening(var operation):
            defer { self = .opening(operation) }
            return operation.resume(reply, &sync)
        case .sending(var operation):
            defer { self = .sending(operation) }
            return operation.resume(reply, &sync)
        case .changing(var operation):
            defer { self = .changing(operation) }
            return operation.resume(reply, &sync)
        case .folding(var operation):
            defer { self = .folding(operation) }
            return operation.resume(reply, &sync)
        case .resending(var operation):
            defer { self = .resending(operation) }
            return operation.resume(reply, &sync)
        case .canceling(var operation):
            defer { self = .canceling(operation) }
            return operation.resume(reply, &sync)
        case .outcome(var operation):
            defer { self = .outcome(operation) }
            return operation.resume(reply, &sync)
        case .refusal(var operation):
            defer { self = .refusal(operation) }
            return operation.resume(reply, &sync)
        case .refusals(var operation):
            defer { self = .refusals(operation) }
            return operation.resume(reply, &sync)
        case .writing(var operation):
            defer { self = .writing(operation) }
            return operation.resume(reply, &sync)
        case .missing(var operation):
            defer { self = .missing(operation) }
            return operation.resume(reply, &sync)
        case .matching(var operation):
            defer { self = .matching(operation) }
            return operation.resume(reply, &sync)
        case .turn(var operation):
            defer { self = .turn(operation) }
            return operation.resume(reply, &sync)
        case .search(var operation):
            defer { self = .search(operation) }
            return operation.resume(reply, &sync)
        case .delivery(var operation):
            defer { self = .delivery(operation) }
            return operation.resume(reply, &sync)
        case .newestPage(var operation):
            defer { self = .newestPage(operation) }
            return operation.resume(reply, &sync)
        case .drafting(var operation):
            defer { self = .drafting(operation) }
            return operation.resume(reply, &sync)
        }
    }
}

/// An event from outside the outbox.
package enum OutboxInput: Equatable, Codable, Sendable {
    /// Another process may have written.
    case changedElsewhere
    /// The files are about to be closed.
    case suspended
    case resumed
    /// The app cancels a waiting message.
    case gaveUp(RequestID)
}

extension SyncState {
    mutating func take(_ input: OutboxInput) {
        switch input {
        case .changedElsewhere: requestRead()
        case .suspended: suspendOutbox()
        case .resumed: resumeOutbox()
        case .gaveUp(let requestID): moveOutbox(.failed(requestID, .pendingError, .socket))
        }
    }
}
