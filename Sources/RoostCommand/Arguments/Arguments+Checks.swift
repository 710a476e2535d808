// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Arguments {
    /// Refuses an option that has an effect only together with another one.
    ///
    /// - Throws: `.wrongArguments` with the option that is missing.
    func require(_ needed: Option, with option: Option) throws(CommandFailure) {
        guard has(option), !has(needed) else { return }
        throw CommandFailure(
            .wrongArguments, "--\(option.name) goes with \(needed.usage): add it.")
    }

    /// Refuses options of which at most one can have an effect.
    ///
    /// - Throws: `.wrongArguments` with the given ones, if they are more than one.
    func refuseSeveral(of options: [Option]) throws(CommandFailure) {
        let given = options.filter { has($0) }
        guard given.count > 1 else { return }
        let names = given.map { "--\($0.name)" }.joined(separator: " and ")
        throw CommandFailure(.wrongArguments, "\(names) exclude each other: give one.")
    }
}
