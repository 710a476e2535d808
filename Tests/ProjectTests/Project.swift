// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The checkout that the tests were built from.
enum Project {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns the paths of the Swift files below a folder, in order, without those of tutorials.
    static func swiftFiles(below folder: String) throws -> [String] {
        let base = root.appending(path: folder).path
        let names = try FileManager.default.subpathsOfDirectory(atPath: base)
        let files = names.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
        return files.sorted().map { folder + "/" + $0 }
    }

    /// Returns the paths of the pages for readers of the present release, in order.
    ///
    /// Decisions, the archive and the changes are none of them.
    static func pages() throws -> [String] {
        var pages = ["README.md", "SECURITY.md"]
        for folder in ["docs", "Sources", "Examples", "Benchmarks", "Simulator", "Fuzz"] {
            let base = root.appending(path: folder).path
            let names = try FileManager.default.subpathsOfDirectory(atPath: base).sorted()
            pages += names.filter { $0.hasSuffix(".md") || $0.hasSuffix(".tutorial") }
                .map { folder + "/" + $0 }
        }
        return pages.filter { !$0.hasPrefix("docs/adr/") && !$0.hasPrefix("docs/archive/") }
    }
}
