// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport

/// Another process that works on a store; see `Tests/StoreActor`.
struct StoreProcess {
    let process = Process()
    private let output = Pipe()

    init(_ role: String, _ path: String, seed: Int, count: Int) throws {
        let this = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: this).deletingLastPathComponent()
            .appendingPathComponent("StoreActor")
        process.arguments = [role, path, "\(seed)", "\(count)"]
        process.standardOutput = output
        try process.run()
    }

    /// Lines that it says until it ends, or until one of them is `last`.
    func lines(through last: String? = nil) async -> [String] {
        let handle = output.fileHandleForReading
        return await withCheckedContinuation { continuation in
            Thread.run {
                var text = ""
                while let byte = try? handle.read(upToCount: 1), !byte.isEmpty {
                    text += String(decoding: byte, as: UTF8.self)
                    if let last, text.hasSuffix(last + "\n") { break }
                }
                continuation.resume(returning: text.split(separator: "\n").map(String.init))
            }
        }
    }
}
