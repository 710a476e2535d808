// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The commit of mutations without any dependent work.
package struct Storing: SyncOperation {
    private let mutations: [Mutation]
    private let origin: ChangeOrigin
    private let condition: CommitCondition?
    private var hasBegun = false

    /// Creates a commit; with a condition its outcome is a flag, whether it was made.
    package init(
        _ mutations: [Mutation], from origin: ChangeOrigin,
        unless condition: CommitCondition? = nil
    ) {
        self.mutations = mutations
        self.origin = origin
        self.condition = condition
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (hasBegun, reply) {
        case (false, .begin):
            hasBegun = true
            return .need(.commit(mutations, origin, unless: condition))
        case (true, .committed(.success(let commit))):
            return .end(condition == nil ? .done : .flag(commit != nil))
        default: return .fail(reply)
        }
    }
}
