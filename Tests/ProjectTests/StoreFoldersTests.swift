// SPDX-License-Identifier: Apache-2.0

import Testing

/// The edges between the folders of RoostStore: a folder uses only types of the folders above it.
struct StoreFoldersTests {
    private static let root = "Sources/RoostStore"

    /// The folders as the architecture's table has them, top row first.
    private static func drawn() throws -> [(folder: String, mayUse: Set<String>)] {
        try Project.text("docs/ARCHITECTURE.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count == 5, let name = try? /^ `(\w+)\/`/.firstMatch(in: cells[1]) else {
                return nil
            }
            let uses = cells[2].matches(of: /\w+/).map { String($0.output) }
            return (String(name.output.1), Set(uses))
        }
    }

    /// The folder of each file, and the words of its code without comments and literals.
    private static func files() throws -> [(path: String, folder: String, code: String)] {
        try Project.swiftFiles(below: root).map { path in
            let code = try Project.text(path)
                .replacing(/\/\/[^\n]*/, with: "")
                .replacing(/"""(?s:.*?)"""/, with: "")
                .replacing(/"(?:\\.|[^"\\\n])*"/, with: "")
            let parts = path.dropFirst(root.count + 1).split(separator: "/")
            return (path, parts.count > 1 ? String(parts[0]) : "", code)
        }
    }

    /// The folder that declares each type of the module; members of other types do not count.
    private static func owners(
        _ files: [(path: String, folder: String, code: String)]
    ) -> [String: String] {
        let declaration =
            /(?m)^(?:(?:package|final|indirect|nonisolated|@\w+)\s+)*(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)/
        var owners: [String: String] = [:]
        for file in files {
            for match in file.code.matches(of: declaration) {
                owners[String(match.output.1)] = file.folder
            }
        }
        return owners
    }

    @Test func `each file uses only types of the folders that its own may use`() throws {
        let mayUse = Dictionary(
            uniqueKeysWithValues: try Self.drawn().map { ($0.folder, $0.mayUse) })
        let files = try Self.files()
        let owners = Self.owners(files)
        #expect(owners.count > 100)
        var used: [String: Set<String>] = [:]
        for file in files {
            let allowed = try #require(
                mayUse[file.folder], "\(file.path) lies in a folder that is not drawn")
            for match in file.code.matches(of: /\b[A-Z]\w*/) {
                let name = String(match.output)
                guard let owner = owners[name], owner != file.folder else { continue }
                used[file.folder, default: []].insert(owner)
                #expect(
                    allowed.contains(owner),
                    "\(file.path) uses \(name) of \(owner), which is not drawn")
            }
        }
        for (folder, allowed) in mayUse {
            #expect(
                allowed.subtracting(used[folder] ?? []) == [],
                "\(folder) does not use all that is drawn")
        }
    }

    @Test func `arrows between the store's folders point up only`() throws {
        let drawn = try Self.drawn()
        #expect(drawn.count > 8)
        for (place, row) in drawn.enumerated() {
            let above = Set(drawn.prefix(place).map(\.folder))
            #expect(
                row.mayUse.isSubset(of: above), "\(row.folder) must stand below all that it uses")
        }
    }
}
