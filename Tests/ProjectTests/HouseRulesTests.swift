// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct HouseRulesTests {
    /// The calls that are allowed only where the outside world comes in.
    private static let outside = [
        "Task.sleep", "Date()", "UUID()", ".random(in:", "ContinuousClock()", "Date.now",
        "SystemRandomNumberGenerator", "ContinuousClock.now", "Instant = .now", "to: .now)",
        "SuspendingClock", ".randomElement(", ".shuffled()", ".shuffle()",
    ]

    /// The modules that are the outside world; all others use protocols.
    private static let edges = ["RoostSockets", "RoostSQLite", "RoostExecutors"]

    /// The modules in which `@unchecked Sendable` is allowed; each such file says why it is safe.
    private static let uncheckedModules = [
        "RoostSockets", "RoostExecutors", "RoostDiskSimulation", "RoostPostgres",
    ]

    /// The folders of the modules.
    private static let moduleFolders = ["Sources", "Benchmarks", "Simulator"]

    /// The Swift files of all modules, in order of their paths.
    private static func moduleFiles() throws -> [String] {
        try moduleFolders.flatMap { try Project.swiftFiles(below: $0) }
    }

    private static func module(of file: String) -> String {
        String(file.split(separator: "/")[1])
    }

    @Test func `time and randomness come in through protocols`() throws {
        for file in try Self.moduleFiles() {
            if file.contains("/Live/") || Self.edges.contains(Self.module(of: file)) { continue }
            let text = try Project.text(file)
            for word in Self.outside {
                #expect(!text.contains(word), "\(file) says \(word)")
            }
        }
    }

    /// On Apple's systems the two kinds of locks conflict, even within one process.
    @Test func `no lock of a folder is in a file that SQLite opens`() throws {
        var count = 0
        for file in try Self.moduleFiles() {
            for match in try Project.text(file).matches(
                of: /(?:Folder|Shared)Lock\(\s*file: ([^,)]+)/)
            {
                let name = match.output.1.lowercased().filter { $0.isLetter }
                let isLock = name.hasSuffix("lock") || name.hasSuffix("lockfile")
                #expect(isLock, "\(file) locks \(match.output.1)")
                count += 1
            }
        }
        #expect(count > 5)
    }

    @Test func `one shared limit ends a test that hangs`()
        throws
    {
        let limit = try Regex(#"timeLimit\(\.minutes\((?!Patience)"#)
        for file in try Project.swiftFiles(below: "Tests") {
            let text = try Project.text(file)
            guard text.contains("timeLimit") else { continue }
            #expect(text.firstMatch(of: limit) == nil, "\(file)")
        }
    }

    @Test
    func `no module needs a screen, so that an app's extension can use all of them (scar 148)`()
        throws
    {
        let frameworks = ["UIKit", "AppKit", "SwiftUI", "Cocoa", "WatchKit"]
        for file in try Self.moduleFiles() {
            let text = try Project.text(file)
            let found = frameworks.filter { text.contains("import \($0)") }
            #expect(found == [], "\(file)")
        }
    }

    @Test func `no task leaves a client's executor`() throws {
        for file in try Project.swiftFiles(below: "Sources/Roost") where !file.contains("/Live/") {
            let text = try Project.text(file)
            #expect(!text.contains("Task.detached"), "\(file)")
            #expect(try text.firstMatch(of: Regex(#"\bTask( \{|\(priority)"#)) == nil, "\(file)")
        }
    }

    @Test
    func `unchecked declarations stand beside C and in the box of copies only (scar 137)`()
        throws
    {
        for file in try Self.moduleFiles() {
            if Self.uncheckedModules.contains(Self.module(of: file)) { continue }
            // Copies share a value that never changes: the compiler cannot count references.
            if file == "Sources/RoostModel/Shared.swift" { continue }
            // A subclass without state has to restate Foundation's promise for errors.
            let text = try Project.text(file)
                .replacingOccurrences(of: "NSError, @unchecked Sendable", with: "NSError")
            #expect(!text.contains("@unchecked Sendable"), "\(file)")
            #expect(!text.contains("nonisolated(unsafe)"), "\(file)")
        }
    }

    @Test func `a file has at most 400 lines, a test at most 600`() throws {
        for (folder, limit) in Self.moduleFolders.map({ ($0, 400) }) + [
            ("Tests", 600), ("Examples", 400),
        ] {
            for file in try Project.swiftFiles(below: folder) {
                let count = try Project.text(file).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).count
                #expect(count <= limit, "\(file) has \(count) lines")
            }
        }
    }

    @Test func `no library writes a log or prints (scar 163)`() throws {
        let programs = [
            "Sources/RoostCommand/", "Sources/RoostCommandLine/", "Benchmarks/RoostBench/Commands/",
            "Simulator/RoostSimulator/Commands/", "Sources/RoostHost/Live/LogWriter.swift",
            // The log of the old SDKs, which an app asks for by its level; `.none` by default.
            "Sources/RoostDoors/Live/StandardLog.swift",
            // The streams of processes that it starts.
            "Benchmarks/RoostBench/Cluster/Live/",
        ]
        let writing = try Regex(
            #"(?m)\b(print|debugPrint|dump|NSLog|os_log|fputs|Logger)\(|standardError|standardOutput"#
        )
        for file in try Self.moduleFiles()
        where !programs.contains(where: file.hasPrefix) {
            #expect(try Project.text(file).firstMatch(of: writing) == nil, "\(file)")
        }
    }

    @Test func `every file names its licence`() throws {
        for folder in Self.moduleFolders + ["Tests", "Examples"] {
            for file in try Project.swiftFiles(below: folder) {
                let text = try Project.text(file)
                #expect(
                    text.hasPrefix("// SPDX-License-Identifier: Apache-2.0")
                        || text.hasPrefix("// swift-tools-version"), "\(file)")
            }
        }
    }

    @Test(arguments: [
        ("docs/guide.md", "Examples/Tour"),
        ("docs/features.md", "Examples/Tour"),
        ("docs/testing.md", "Examples/TestedApp/Tests"),
        ("Sources/RoostTestKit/RoostTestKit.docc/TestingAnApp.md", "Examples/TestedApp/Tests"),
        ("Sources/Roost/Roost.docc/KeepingATimelineOnScreen.md", "Examples/Tour"),
        ("Sources/Roost/Roost.docc/Sealing.md", "Examples/Tour"),
        ("Sources/Roost/Roost.docc/Extensions.md", "Examples/Tour"),
        ("Sources/SendbirdChatSDK/SendbirdChatSDK.docc/SendbirdChatSDK.md", "Examples/ChatV4"),
        ("Sources/SendBirdSDK/SendBirdSDK.docc/SendBirdSDK.md", "Examples/ChatV3"),
        (
            "Sources/SendBirdSyncManager/SendBirdSyncManager.docc/SendBirdSyncManager.md",
            "Examples/ChatV3"
        ),
        (
            "Sources/RoostFileCache/RoostFileCache.docc/RoostFileCache.md",
            "Tests/RoostFileCacheTests"
        ),
    ])
    func `the code on pages is the examples' code`(page: String, folder: String) throws {
        let example = try Project.swiftFiles(below: folder).map { try Project.text($0) }.joined()
            .split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }
        let blocks = try Self.blocks(of: page).filter { $0 != (try Self.firstChat()) }
        #expect(!blocks.isEmpty)
        for block in blocks {
            // A block in a list is indented, and so is its end.
            let shown = block.split(separator: "\n")
                .map { $0.trimmingPrefix(while: \.isWhitespace) }.filter { !$0.isEmpty }
            #expect(shown.count > 1)
            for line in shown {
                #expect(example.contains(line), "the example does not say: \(line)")
            }
        }
    }

    /// The Swift code on a page, block by block.
    private static func blocks(of page: String) throws -> [String] {
        try Project.text(page).split(separator: "```swift\n").dropFirst().map { block in
            let end = try #require(block.firstRange(of: "```"))
            return String(block[..<end.lowerBound])
        }
    }

    /// The first example without the line of its licence; `FirstChatTests` runs it.
    private static func firstChat() throws -> String {
        let text = try Project.text("Examples/FirstChat/main.swift")
        return String(text[try #require(text.firstRange(of: "\n\n")).upperBound...])
    }

    @Test(arguments: ["README.md", "docs/guide.md"])
    func `the first code on a page is the whole first example, in twelve lines`(
        page: String
    ) throws {
        let code = try #require(try Self.blocks(of: page).first)
        #expect(code == (try Self.firstChat()))
        let lines = code.split(separator: "\n")
        #expect(lines.first == "import Roost")
        #expect(lines.dropFirst().count == 12)
    }

    /// The listings of a tutorial's main file, in order.
    private static func steps(of tutorial: String) throws -> [String] {
        let folder = "Sources/Roost/Roost.docc/Tutorial/"
        let text = try Project.text("\(folder)\(tutorial).tutorial")
        let files = text.matches(of: /file: "(\w+-\d+\.swift)"/).map { $0.output.1 }
        #expect(files == (1...files.count).map { "\(tutorial)-\($0).swift" })
        return try files.map { try Project.text("\(folder)Steps/\($0)") }
    }

    @Test func `the last step of the tutorial with views is the example`() throws {
        let steps = try Self.steps(of: "ChatScreen")
        #expect(steps.last == (try Project.text("Examples/ChatScreen/ChatApp.swift")))
        #expect(Set(steps).count == steps.count)
    }

    @Test(arguments: ["FirstChat", "TerminalChat"])
    func `each step of a tutorial adds to the one before, up to the example`(
        tutorial: String
    ) throws {
        let steps = try Self.steps(of: tutorial)
        #expect(steps.last == (try Project.text("Examples/\(tutorial)/main.swift")))
        for (step, next) in zip(steps, steps.dropFirst()) {
            #expect(next.hasPrefix(step))
            #expect(next != step)
        }
    }
}
