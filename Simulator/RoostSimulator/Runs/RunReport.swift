// SPDX-License-Identifier: Apache-2.0

/// The size of a simulated world.
package struct WorldShape: Hashable, Sendable {
    package var apps = 3
    package var users = 2
    package var channels = 3
    package var steps = 2_000
    package var pageSize = 6
    /// The number of steps between two rests: times without faults, at whose end the invariants of
    /// a state at rest are checked.
    ///
    /// A later connection repairs many mistakes, so rare rests would miss them.
    package var stepsToRest = 100
    /// The number of actions that a run draws from: the first ones of `Action`.
    package var actions = Action.allCases.count
    package var plantedFault: PlantedFault?

    package init() {}
}

/// The result of one simulation.
package struct RunReport: Sendable {
    package let seed: UInt64
    /// The number of steps that were taken before the end or the broken invariant.
    package let steps: Int
    /// The number of jobs of all actors, or of inputs of all machines; equal numbers mean equal
    /// runs.
    package let work: Int
    /// The virtual time of the run.
    package let duration: Duration
    /// The broken invariant; nil if all held.
    package let failure: String?
    /// Every action and every fault, if a trace was requested.
    package let trace: [String]

    package init(
        seed: UInt64, steps: Int, work: Int, duration: Duration = .zero, failure: String?,
        trace: [String] = []
    ) {
        self.seed = seed
        self.steps = steps
        self.work = work
        self.duration = duration
        self.failure = failure
        self.trace = trace
    }
}
