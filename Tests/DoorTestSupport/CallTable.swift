// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostDoors
import RoostExecutors
package import RoostTestKit
package import Testing

/// All calls of a library with a handler, each to be made from inside every handler and delegate
/// method.
package final class CallTable {
    /// A call; its handlers must call the given closure.
    package typealias Call = (_ called: @escaping () -> Void) -> Void

    /// The calls by the names of their functions; calls of one name have a suffix.
    private var calls: [(name: String, call: Call)] = []
    private var counts: [String: Int] = [:]
    private var strays: [String] = []
    /// The delegate method from inside which all calls are made.
    private var awaited: String?
    private let depth = Guarded(0)

    package init() {}

    package func add(_ name: String, _ call: @escaping Call) { calls.append((name, call)) }

    /// Returns a queue of the app that knows whether it is running work.
    package func queue(_ world: SimulatedWorld) -> CallbackQueue {
        CallbackQueue { [depth] work in
            world.later {
                depth.withLock { $0 += 1 }
                work()
                depth.withLock { $0 -= 1 }
            }
        }
    }

    /// Makes all calls from inside the first callback of each call, or of the first few.
    ///
    /// Every handler must run on the queue, and handlers with one outcome must run once.
    package func play(
        outers: Int = Int.max, pause: () async -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        for outer in calls.prefix(outers) {
            (counts, strays) = ([:], [])
            make(outer.call, "outer") { [calls] in
                for inner in calls { self.make(inner.call, inner.name) {} }
            }
            await pause()
            let expected = Set(calls.map(\.name) + ["outer"])
            let wrong = expected.filter { counts[$0] != 1 }.map { "\($0): \(counts[$0] ?? 0)" }
            #expect(
                wrong.isEmpty, "called from inside \(outer.name)", sourceLocation: sourceLocation)
            #expect(
                strays.isEmpty, "on another queue, from inside \(outer.name)",
                sourceLocation: sourceLocation)
        }
    }

    /// Records the call of a delegate method; every method of a test's delegate calls it.
    package func record(_ method: String) {
        if depth.withLock({ $0 }) != 1 { strays.append(method) }
        guard method == awaited else { return }
        awaited = nil
        for inner in calls { make(inner.call, inner.name) {} }
    }

    /// Makes all calls from inside a delegate method as soon as it is called.
    package func play(
        _ method: String, happen: () async throws -> Void, pause: () async -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        (counts, strays, awaited) = ([:], [], method)
        try await happen()
        await pause()
        #expect(awaited == nil, "\(method) was not called", sourceLocation: sourceLocation)
        let wrong = calls.map(\.name).filter { counts[$0] != 1 }
            .map { "\($0): \(counts[$0] ?? 0)" }
        #expect(wrong.isEmpty, "called from inside \(method)", sourceLocation: sourceLocation)
        #expect(
            strays.isEmpty, "on another queue, from inside \(method)",
            sourceLocation: sourceLocation)
    }

    private func make(_ call: Call, _ name: String, then first: @escaping () -> Void) {
        call {
            if self.depth.withLock({ $0 }) != 1 { self.strays.append(name) }
            self.counts[name, default: 0] += 1
            if self.counts[name] == 1 { first() }
        }
    }

    /// Returns the names of the public functions below a module's folder that take a handler.
    package static func functions(of module: String) throws -> Set<String> {
        var names: Set<String> = []
        for text in try sources(of: module) {
            for match in text.matches(of: /public (?:class )?func (\w+)\(([^{]*)\{/)
            where match.2.contains("Handler: ") {
                names.insert(String(match.1))
            }
        }
        return names
    }

    /// Returns the methods of a module's public delegates, with their `#function` names.
    package static func delegateMethods(of module: String) throws -> Set<String> {
        var names: Set<String> = []
        for text in try sources(of: module) {
            for body in text.matches(of: /public protocol \w+Delegate[^{]*\{([^}]*)\}/) {
                for match in body.1.matches(of: /func (\w+)\(([^)]*)\)/) {
                    let labels = match.2.split(separator: ",")
                        .map { $0.drop(while: \.isWhitespace).prefix { $0 != " " && $0 != ":" } }
                    names.insert("\(match.1)(\(labels.map { $0 + ":" }.joined()))")
                }
            }
        }
        return names
    }

    private static func sources(of module: String) throws -> [String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/\(module)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    }

    /// The names of the functions in the table.
    package var functions: Set<String> {
        Set(calls.map { String($0.name.prefix { $0 != " " }) })
    }
}
