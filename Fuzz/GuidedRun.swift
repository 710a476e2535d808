// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A run of one target under libFuzzer, which keeps the inputs that reach new code.
///
/// `scripts/fuzz guided` builds a copy of the package with counters in each decoder and links
/// libFuzzer's driver. Any other build has no driver, and says so.
struct GuidedRun {
    private typealias Read = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    private typealias Words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private typealias Driver =
        @convention(c) (
            UnsafeMutablePointer<CInt>, UnsafeMutablePointer<Words>, Read
        ) -> CInt

    /// The target of this process: the driver calls a function of C, which has no context.
    // SAFETY: it is written once, before the driver starts its threads.
    nonisolated(unsafe) private static var target: FuzzTarget?

    let target: FuzzTarget
    /// The arguments of libFuzzer: options, and the folders of inputs.
    let arguments: [String]

    /// Runs the driver; returns the process's exit code.
    func run() -> Int32 {
        // SAFETY: nothing else runs yet, and nothing writes the variable again.
        unsafe Self.target = target
        guard let symbol = unsafe dlsym(nil, "LLVMFuzzerRunDriver") else {
            print("This build has no libFuzzer. Use: scripts/fuzz guided \(target.name)")
            return 2
        }
        // SAFETY: libFuzzer's header declares this type.
        let driver = unsafe unsafeBitCast(symbol, to: Driver.self)
        // The copies live as long as the process.
        var words = unsafe ([target.name] + arguments).map { unsafe strdup($0) } + [nil]
        var count = unsafe CInt(words.count - 1)
        return unsafe words.withUnsafeMutableBufferPointer { words in
            guard var first = words.baseAddress else { return 2 }
            return unsafe driver(&count, &first) { bytes, length in
                let bytes = unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
                guard let target = unsafe GuidedRun.target else { return 0 }
                var input = target.input(bytes)
                if let complaint = target.read(&input) {
                    print("COMPLAINT: \(complaint)")
                    abort()
                }
                return 0
            }
        }
    }

    /// Writes the samples of a target as files, which a first run begins with.
    static func writeSamples(of target: FuzzTarget, to folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for (number, sample) in (target.samples + Corpus.inputs(of: target.name)).enumerated() {
            try Data(sample).write(to: URL(filePath: folder).appending(path: "sample-\(number)"))
        }
        // libFuzzer's form of a dictionary: each word in quotes, with bytes in hexadecimal digits.
        let lines = target.words.filter { $0.count <= 64 && !$0.isEmpty }.map { word in
            "\"" + word.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
        }
        try lines.joined(separator: "\n").write(
            toFile: folder + ".words", atomically: true, encoding: .utf8)
    }
}
