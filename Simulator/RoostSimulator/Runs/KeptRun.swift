// SPDX-License-Identifier: Apache-2.0

/// Some steps of a run, in the form in which the tests keep them (`Seeds.kept`).
package struct KeptRun: Hashable, Sendable {
    package let world: World
    package let seed: UInt64
    /// The number of steps of the whole run.
    package let count: Int
    /// The steps to take, of those of the run; nil takes all.
    package let steps: [Int]?
    /// The number of actions that the run draws from: the first ones of `Action`, so that a later
    /// action changes no kept run.
    package let actions: Int

    /// The number of actions before those of operators.
    private static let earliestActions = 71

    /// Creates a run; without a number of actions it draws from those of the earliest kept runs.
    package init(
        _ world: World, seed: UInt64, of count: Int, steps: [Int]? = nil, actions: Int? = nil
    ) {
        self.world = world
        self.seed = seed
        self.count = count
        self.steps = steps
        self.actions = actions ?? Self.earliestActions
    }

    /// Takes the steps.
    ///
    /// - Parameters:
    ///   - shape: The size of the world; the numbers of steps and actions are the kept ones.
    ///   - folder: An empty folder for the disks of a full world.
    /// - Returns: The result; a broken invariant is a `failure`.
    package func run(_ shape: WorldShape = WorldShape(), folder: String) -> RunReport {
        var shape = shape
        shape.steps = count
        shape.actions = actions
        return world.run(seed: seed, shape, keeping: steps.map { Set($0) }, folder: folder)
    }
}

extension KeptRun: CustomStringConvertible {
    /// The run as Swift text.
    package var description: String {
        let list = steps.map { steps in
            ", steps: [" + steps.map { "\($0)" }.joined(separator: ", ") + "]"
        }
        let actions = actions == Self.earliestActions ? "" : ", actions: \(actions)"
        return "KeptRun(.\(world.rawValue), seed: \(seed), of: \(count)\(list ?? "")\(actions))"
    }
}
