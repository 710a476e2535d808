// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A process that reads inputs to their end; a trap ends this process only.
struct Child {
    /// The exit codes that tell the supervisor the outcome.
    enum Code {
        static let complaint: Int32 = 10
        static let memory: Int32 = 11
    }

    /// The memory limit in bytes; no decoder needs more for any input.
    static let memoryLimit = 200 << 20
    /// The limit of the address space, so that one input cannot take all of the machine's memory.
    private static let addressLimit: rlim_t = 16 << 30

    let target: FuzzTarget
    let seed: UInt64
    let rounds: UInt64
    let seconds: Double
    /// The file that gets the number of each input before it is read.
    let progress: String

    func run() -> Int32 {
        var limit = rlimit(rlim_cur: Self.addressLimit, rlim_max: Self.addressLimit)
        // SAFETY: the value is lent for the call.
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        let file = unsafe open(progress, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return 2 }
        defer { close(file) }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        for (number, bytes) in Corpus.inputs(of: target.name).enumerated() {
            Progress.corpus(number).write(to: file)
            var input = target.input(bytes)
            if complains(&input) { return Code.complaint }
        }
        var round: UInt64 = 0
        while round < rounds, round % 64 != 0 || clock.now < end {
            Progress.round(round).write(to: file)
            var input = target.input(seed: seed, round: round)
            if complains(&input) { return Code.complaint }
            round += 1
            if round % 256 == 0, Memory.peak > Self.memoryLimit { return Code.memory }
        }
        print("\(round) inputs, \(Memory.peak >> 20) MiB at most")
        return Memory.peak > Self.memoryLimit ? Code.memory : 0
    }

    private func complains(_ input: inout FuzzInput) -> Bool {
        guard let complaint = target.read(&input) else { return false }
        print(complaint)
        return true
    }
}

/// The input that a child reads; sixteen bytes of a file.
enum Progress: Hashable {
    case corpus(Int)
    case round(UInt64)

    func write(to file: Int32) {
        let words: [UInt64] =
            switch self {
            case .corpus(let number): [1, UInt64(number)]
            case .round(let round): [2, round]
            }
        // SAFETY: the array is lent for the call.
        _ = unsafe words.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    }

    init?(reading path: String) {
        guard let data = FileManager.default.contents(atPath: path), data.count == 16 else {
            return nil
        }
        let words = [0, 8].map { start in
            data[start..<start + 8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        self = words[0] == 1 ? .corpus(Int(words[1])) : .round(words[1])
    }
}

enum Memory {
    /// The peak memory of this process in bytes; 0 if the system does not tell.
    static var peak: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            return (Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0) << 10
        }
        return 0
    }
}

/// The inputs that failed once; they are part of the repository and are read first.
enum Corpus {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Corpus")

    static func inputs(of target: String) -> [[UInt8]] {
        let place = folder.appending(path: target).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        return names.sorted().compactMap { name in
            FileManager.default.contents(atPath: place + "/" + name).map { Array($0) }
        }
    }

    /// Saves an input; returns its path, or nil if the disk refuses.
    static func keep(_ bytes: [UInt8], of target: String, as name: String) -> String? {
        let place = folder.appending(path: target)
        let file = place.appending(path: name).path
        // A missing path reports that the corpus could not be extended.
        try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return FileManager.default.createFile(atPath: file, contents: Data(bytes)) ? file : nil
    }
}
