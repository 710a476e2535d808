// SPDX-License-Identifier: Apache-2.0

/// A made-up invariant for tests of the search for short runs: it breaks as soon as a run has taken
/// all of some actions.
package struct PlantedFault: Hashable, Sendable {
    private let actions: [String]
    private var left: Set<String>

    /// - Parameter actions: The names of the actions.
    package init(_ actions: String...) {
        precondition(
            actions.allSatisfy { Action(rawValue: $0) != nil }, "No run has such an action.")
        self.actions = actions
        left = Set(actions)
    }

    /// Notes an action of the run.
    mutating func note(_ action: Action) throws(Violation) {
        guard left.remove(action.rawValue) != nil, left.isEmpty else { return }
        throw Violation(sentence: "the run has taken \(actions.joined(separator: " and "))")
    }
}
