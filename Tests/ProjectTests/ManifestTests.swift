// SPDX-License-Identifier: Apache-2.0

import Testing

struct ManifestTests {
    /// The edges in the architecture's table of modules, top row first.
    private static func drawnEdges() throws -> [(module: String, mayUse: Set<String>)] {
        try Project.text("docs/ARCHITECTURE.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingPrefix(while: \.isWhitespace) }
            guard cells.count == 5, let match = try? /^(Roost|Send)\w*/.firstMatch(in: cells[1])
            else { return nil }
            let uses = cells[2].matches(of: /\w+/).map { String($0.output) }
            return (String(match.output.0), Set(uses))
        }
    }

    /// The edges in the manifest, in its order.
    private static func declaredEdges() throws -> [(module: String, uses: Set<String>)] {
        let manifest = try Project.text("Package.swift")
        let pattern =
            /\.(?:target|executableTarget)\(\s*name: "(\w+)"(?:,\s*dependencies: \[([^\]]*(?:\[[^\]]*\][^\]]*)*)\])?/
        return manifest.matches(of: pattern).map { match in
            let list = match.output.2 ?? ""
            let names = list.matches(of: /"(\w+)"/).map { String($0.output.1) }
            return (String(match.output.1), Set(names))
        }.filter { $0.module != "RoostTestSupport" }
    }

    @Test func `the architecture draws every edge of the manifest`() throws {
        let drawn = Dictionary(
            uniqueKeysWithValues: try Self.drawnEdges().map { ($0.module, $0.mayUse) })
        let declared = try Self.declaredEdges().filter { $0.module.hasPrefix("Roost") }
        #expect(declared.count > 5)
        for (module, uses) in declared {
            let mayUse = try #require(drawn[module], "\(module) is not in docs/ARCHITECTURE.md")
            let drawnUses = uses.subtracting(["RoostTestSupport"])
            #expect(drawnUses.isSubset(of: mayUse), "\(module) uses more than is drawn")
        }
    }

    @Test func `modules depend only on those above them`() throws {
        let order = try Self.drawnEdges().map(\.module)
        for (module, mayUse) in try Self.drawnEdges() {
            let place = try #require(order.firstIndex(of: module))
            for used in mayUse where !used.hasPrefix("CRoost") {
                let usedPlace = try #require(order.firstIndex(of: used), "\(used) is not drawn")
                #expect(usedPlace < place, "\(module) must stand below \(used)")
            }
        }
    }

    /// The folders of modules outside `Sources`.
    private static let folders = [
        "RoostFuzz": "Fuzz", "RoostBench": "Benchmarks/RoostBench",
        "RoostSimulator": "Simulator/RoostSimulator",
    ]

    /// Returns the modules that a module reaches, itself included.
    private static func reach(
        _ module: String, _ edges: [String: Set<String>]
    ) -> Set<String> {
        var reached: Set<String> = []
        var rest: Set<String> = [module]
        while let next = rest.popFirst() {
            guard reached.insert(next).inserted else { continue }
            rest.formUnion(edges[next] ?? [])
        }
        return reached
    }

    @Test(arguments: ["RoostCommand", "RoostTestKit"])
    func `a product contains neither benchmarks nor simulator`(module: String) throws {
        let edges = Dictionary(
            uniqueKeysWithValues: try Self.declaredEdges().map { ($0.module, $0.uses) })
        let reached = Self.reach(module, edges)
        #expect(reached.contains("RoostWire"))
        #expect(
            reached.isDisjoint(with: [
                "RoostBench", "CRoostBenchLimit", "RoostSimulator", "SendbirdChatSDK",
            ]))
        #expect(module != "RoostCommand" || !reached.contains("RoostTestKit"))
    }

    @Test func `the terminal's chat sees nothing but the public interface of the client`() throws {
        let manifest = try Project.text("Package.swift")
        let chat = #".target(name: "RoostChat", dependencies: ["Roost"], packageAccess: false)"#
        #expect(manifest.contains(chat))
    }

    @Test func `call sites are compiled as an app in Swift 5 mode compiles its code`() throws {
        let manifest = try Project.text("Package.swift")
        #expect(manifest.contains(#"let appsInSwift5 = ["CallSitesV3", "CallSitesV4"]"#))
        #expect(
            manifest.contains(
                "appsInSwift5.contains(target.name) ? [.swiftLanguageMode(.v5)] : settings"))
        for name in ["CallSitesV3", "CallSitesV4"] {
            let path = #"path: "Tests/\#(name)", packageAccess: false)"#
            #expect(manifest.contains(path), "\(name) sees more than the public interface")
            #expect(try !Project.swiftFiles(below: "Tests/" + name).isEmpty)
        }
    }

    @Test func `no module contains a type of its own name`() throws {
        for (module, _) in try Self.declaredEdges() where module.hasPrefix("Roost") {
            let pattern = try Regex(#"\b(struct|class|actor|enum|protocol) \#(module)\b"#)
            let folder = Self.folders[module] ?? "Sources/" + module
            for file in try Project.swiftFiles(below: folder) {
                #expect(try Project.text(file).firstMatch(of: pattern) == nil, "\(file)")
            }
        }
    }

    @Test(arguments: [
        "Sources/SendbirdChatSDK/SendbirdChatSDK.docc/MigratingFromV4.md",
        "Sources/SendBirdSDK/SendBirdSDK.docc/MigratingFromV3.md",
    ])
    func `a migration page states the lowest version of each system`(page: String) throws {
        let manifest = try Project.text("Package.swift")
        let list = try #require(manifest.firstMatch(of: /\n    platforms: \[(.*)\],/)).output.1
        let systems = list.matches(of: /\.(\w+)\(\.v(\d+)\)/).map {
            "\($0.output.1) \($0.output.2)"
        }
        #expect(systems.count == 5)
        let line = try #require(
            try Project.text(page).split(separator: "\n").first { $0.contains("| Requirements |") })
        for system in systems { #expect(line.contains(system), "\(page) lacks \(system)") }
    }
}
