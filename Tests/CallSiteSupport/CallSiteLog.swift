// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors

/// The values that the call sites of a reference have used, by their numbers.
///
/// A call site is a line that ends with a comment of its number, such as `// 13`.
public final class CallSiteLog: Sendable {
    private let values = Guarded<[Int: [String]]>([:])

    public init() {}

    /// Notes a value that the call site in this line has used.
    public func note(_ value: String, _ file: String, _ line: Int) {
        let lines = (try? Self.lines(of: file)) ?? []
        guard lines.indices.contains(line - 1), let number = Self.numbers(lines[line - 1]).first
        else { return }
        values.withLock { $0[number, default: []].append(value) }
    }

    /// The values of a call site since the last clearing, in order.
    public subscript(number: Int) -> [String] { values.withLock { $0[number] ?? [] } }

    public func clear() { values.withLock { $0 = [:] } }

    /// Returns the numbers in the comments at the ends of a file's lines.
    public static func numbers(of file: String) throws -> Set<Int> {
        Set(try lines(of: file).flatMap { numbers($0) })
    }

    private static func lines(of file: String) throws -> [Substring] {
        try String(contentsOfFile: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func numbers(_ line: Substring) -> [Int] {
        guard let comment = line.firstMatch(of: /\/\/ (\d+(?:, \d+)*)$/) else { return [] }
        return comment.1.split(separator: ", ").compactMap { Int($0) }
    }
}
