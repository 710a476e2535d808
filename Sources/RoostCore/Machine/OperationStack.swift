// SPDX-License-Identifier: Apache-2.0

/// A running operation with those that wait for it; the last one is resumed.
struct OperationStack: Codable, Sendable {
    var operations: [Operation]
    /// The reason of the pause that the last operation waits for; nil without a pause.
    var pause: Pause?
    /// The number of operations that wait for a part with a time limit; nil without a limit.
    var limit: Int?
    /// The number by which the shell knows the first operation; 0 if it has no caller any more.
    private(set) var caller: SyncMachine.OperationID

    init(_ operations: [Operation], for caller: SyncMachine.OperationID) {
        self.operations = operations
        self.caller = caller
    }

    /// Ends the wait for an overdue part, which stays here and has no caller any more.
    ///
    /// - Returns: The operations that waited for it; nil without such a part.
    mutating func detachPart() -> OperationStack? {
        guard let depth = limit else { return nil }
        limit = nil
        guard operations.count > depth else { return nil }
        let waiting = OperationStack(Array(operations[..<depth]), for: caller)
        operations.removeFirst(depth)
        caller = SyncMachine.OperationID(0)
        return waiting
    }
}
