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
}
