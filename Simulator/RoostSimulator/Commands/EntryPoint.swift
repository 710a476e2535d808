// SPDX-License-Identifier: Apache-2.0

package import RoostCommandLine

/// The entry point of `roost-simulate`.
@main
enum EntryPoint {
    static func main() { Program.simulate.main() }
}

extension Program {
    package static let simulate = Program(
        "roost-simulate", summary: "runs random worlds in virtual time and checks every invariant",
        commands: [.simulate])
}
