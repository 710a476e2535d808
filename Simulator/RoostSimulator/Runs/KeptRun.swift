// SPDX-License-Identifier: Apache-2.0

/// Some steps of a run, in the form in which the tests keep them (`Seeds.kept`).
package struct KeptRun: Hashable, Sendable {
    package let world: World
    package let seed: UInt64
    /// The number of steps of the whole run.
    package let count: Int
    /// The steps to take, of those of the run; nil takes all.
    package let steps: [Int]?

    package init(_ world: World, seed: UInt64, of count: Int, steps: [Int]? = nil) {
        self.world = world
        self.seed = seed
        self.count = count
        self.steps = steps
    }

    /// Takes the steps.
    ///
    /// - Parameters:
    ///   - shape: The size of the world; the number of steps is the kept one.
    ///   - folder: An empty folder for the disks of a full world.
    /// - Returns: The result; a broken invariant is a `failure`.
    package func run(_ shape: WorldShape = WorldShape(), folder: String) -> RunReport {
        var shape = shape
        shape.steps = count
        return world.run(seed: seed, shape, keeping: steps.map { Set($0) }, folder: folder)
    }
}

extension KeptRun: CustomStringConvertible {
    /// The run as Swift text.
    package var description: String {
        let list = steps.map { steps in
            ", steps: [" + steps.map { "\($0)" }.joined(separator: ", ") + "]"
        }
        return "KeptRun(.\(world.rawValue), seed: \(seed), of: \(count)\(list ?? ""))"
    }
}
