// SPDX-License-Identifier: Apache-2.0

/// The two kinds of simulated worlds.
package enum World: String, CaseIterable, Sendable {
    /// The machines alone, with a store in memory and a model of the server.
    case core
    /// The clients, the server and the disk as they are in an app.
    case full

    /// The unit of `RunReport.work`.
    package var unitOfWork: String {
        switch self {
        case .core: "inputs of machines"
        case .full: "jobs of actors"
        }
    }

    /// Runs one simulation.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random choices.
    ///   - shape: The size of the world.
    ///   - steps: The steps to take, of those that the seed draws; nil takes all.
    ///   - folder: An empty folder for the disks of a full world.
    ///   - keepsTrace: Whether every action is recorded.
    /// - Returns: The result; a broken invariant is a `failure`.
    package func run(
        seed: UInt64, _ shape: WorldShape, keeping steps: Set<Int>? = nil, folder: String,
        keepsTrace: Bool = false
    ) -> RunReport {
        switch self {
        case .core: CoreWorld.run(seed: seed, shape, keeping: steps, keepsTrace: keepsTrace)
        case .full:
            Simulation.run(
                seed: seed, shape, keeping: steps, folder: folder, keepsTrace: keepsTrace)
        }
    }
}
