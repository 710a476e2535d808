// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostServer
import RoostTestSupport
import Testing

@testable import RoostHost

struct LogWriterTests {
    @Test func `a log on disk is bounded and reports its dropped lines at its end (scar 163)`()
        async throws
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
        await writer.finish()
        let lines = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
            .split(separator: "\n")
        // Another minute may have begun meanwhile.
        #expect((61...122).contains(lines.count))
        #expect(lines.first?.contains(#""event":"limited""#) == true)
        #expect(lines.last?.contains(#""event":"left_out","of":"limited""#) == true)
        #expect(!lines.contains { $0.contains("call") })
        try file.close()
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a reader that takes no line neither delays the end nor fills the memory (scar 163)`()
        async throws
    {
        let pipe = Pipe()
        let writer = LogWriter(from: .info, to: pipe.fileHandleForWriting)
        let count = 3 * LogWriter.longestBacklog
        for _ in 0..<count { writer.report(LogLine(.info, "call")) }
        await writer.finish()
        // Everything that was not dropped can still be read.
        var (text, written, dropped) = ("", 0, 0)
        while written + dropped < count {
            text += String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            text = String(lines.removeLast())
            for line in lines {
                if line.contains(#""event":"call""#) { written += 1 }
                guard let number = line.firstMatch(of: /"dropped","lines":([0-9]+)/)?.1 else {
                    continue
                }
                dropped += try #require(Int(number))
            }
        }
        #expect(written + dropped == count)
        #expect(dropped >= LogWriter.longestBacklog)
    }
}
