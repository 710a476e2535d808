// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostServer
import RoostTestSupport
import Testing

@testable import RoostHost

struct LogWriterTests {
    @Test func `a log on disk is bounded and reports its dropped lines at its end (scar 163)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("log")
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        let writer = LogWriter(from: .warning, to: file)
        for _ in 0..<1_000 {
            writer.write(LogLine(.warning, "limited"))
            writer.write(LogLine(.info, "call"))
        }
        writer.finish()
        let lines = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
            .split(separator: "\n")
        // Another minute may have begun meanwhile.
        #expect((61...122).contains(lines.count))
        #expect(lines.first?.contains(#""event":"limited""#) == true)
        #expect(lines.last?.contains(#""event":"left_out","of":"limited""#) == true)
        #expect(!lines.contains { $0.contains("call") })
        try file.close()
    }
}
