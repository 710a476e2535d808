// SPDX-License-Identifier: Apache-2.0

/// Any operation.
package enum Operation: Hashable, Sendable {
    case changeLog(ChangeLogReading)
    case page(PageFetch)
    case gap(GapFill)
    case lookUp(ChannelLookUp)
    case fill(ListFill)

    mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch self {
        case .changeLog(var operation):
            defer { self = .changeLog(operation) }
            return operation.resume(reply, &sync)
        case .page(var operation):
            defer { self = .page(operation) }
            return operation.resume(reply, &sync)
        case .gap(var operation):
            defer { self = .gap(operation) }
            return operation.resume(reply, &sync)
        case .lookUp(var operation):
            defer { self = .lookUp(operation) }
            return operation.resume(reply, &sync)
        case .fill(var operation):
            defer { self = .fill(operation) }
            return operation.resume(reply, &sync)
        }
    }
}
