// SPDX-License-Identifier: Apache-2.0

/// A row of the outbox as it is stored; its payload may be unreadable.
struct SalvagedItem: Sendable {
    let sequence: Int64
    let requestID: String
    let channel: String
    let createdAt: Int64
    let state: Int64
    let failureCode: Int64?
    let attemptCount: Int64
    let hasLeft: Int64
    let payload: [UInt8]
}
