// SPDX-License-Identifier: Apache-2.0

import Testing

/// Holds the rule that a comment names the thing it is about first.
struct PlainWordsTests {
    /// The folders whose comments still begin with pronouns; a folder leaves the list when it is done.
    private static let unfinished = [
        "Benchmarks", "Simulator", "Sources/Roost/Collections", "Sources/Roost/Engine",
        "Sources/Roost/Journal", "Sources/Roost/Live", "Sources/RoostCommand",
        "Sources/RoostCommandLine", "Sources/RoostCore", "Sources/RoostDiskSimulation",
        "Sources/RoostExecutors", "Sources/RoostHost", "Sources/RoostSQLite", "Sources/RoostServer",
        "Sources/RoostStore", "Sources/RoostTestKit", "Tests/RoostBenchTests",
        "Tests/RoostCommandTests", "Tests/RoostCoreTests", "Tests/RoostExecutorsTests",
        "Tests/RoostHostTests", "Tests/RoostSQLiteTests", "Tests/RoostServerTests",
        "Tests/RoostSimulatorTests", "Tests/RoostStoreTests", "Tests/RoostTestKitTests",
        "Tests/RoostTests",
    ]

    @Test func `comments begin with a noun or a verb`() throws {
        let habit = try Regex(
            #"(?m)^\s*///? +(What|Who|Whom|Whose|Whoever|Nobody|Somebody|Others|It is told)\b.*"#)
        for folder in ["Sources", "Tests", "Examples", "Fuzz", "Benchmarks", "Simulator"] {
            for file in try Project.swiftFiles(below: folder)
            where !Self.unfinished.contains(where: { file.hasPrefix($0 + "/") }) {
                for match in try Project.text(file).matches(of: habit) {
                    let line = match[0].substring ?? ""
                    Issue.record("\(file): \(line)")
                }
            }
        }
    }
}
