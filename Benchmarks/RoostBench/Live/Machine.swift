// SPDX-License-Identifier: Apache-2.0

import Foundation
internal import RoostModel
internal import RoostPages

/// The conditions of a run besides the program.
enum Machine {
    /// The processor, kernel and memory in a line.
    static var description: String {
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let memory = ProcessInfo.processInfo.physicalMemory / (1 << 30)
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        return "\(processors) × \(processorName), \(memory) GiB, \(system)"
    }

    /// The present moment in UTC, such as `2026-11-27 12:03 UTC`.
    static var date: String {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        return UTCDate.text(now).prefix(16) + " UTC"
    }

    /// The path of this program.
    static var program: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

    private static var processorName: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = lines.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
            ?? "processor"
    }

    /// The average number of tasks that wait for a processor, over a minute; nil if the system does
    /// not report it.
    static var load: Double? {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return text?.split(separator: " ").first.flatMap { Double($0) }
    }

    /// Empties the system's cache of files, so that the next opening reads the disk.
    ///
    /// - Returns: Whether it did: that needs Linux and its administrator.
    static func dropFileCaches() -> Bool {
        sync()
        guard let file = FileHandle(forWritingAtPath: "/proc/sys/vm/drop_caches") else {
            return false
        }
        return (try? file.write(contentsOf: Data("3\n".utf8))) != nil
    }

    /// Restarts the measurement of this process's greatest memory.
    static func resetPeakMemory() {
        // Without this file the peak is that of the whole run.
        try? Data("5\n".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// The memory of this process in KiB, now and at its peak; nil if the system does not report
    /// it.
    static var memory: (now: Int, peak: Int)? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
            return nil
        }
        func number(_ name: String) -> Int? {
            text.split(separator: "\n").first { $0.hasPrefix(name) }
                .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first }
                .flatMap { Int($0) }
        }
        guard let now = number("VmRSS:"), let peak = number("VmHWM:") else { return nil }
        return (now, peak)
    }

    /// Returns the microseconds to write 4 KiB durably, without other work: the median of many.
    static func diskWait(in folder: String) throws(BenchError) -> Double {
        let path = "\(folder)/fdatasync-probe"
        let page = Data(repeating: 0x5A, count: 4_096)
        var micros: [Double] = []
        do {
            try Data(count: 4_096 * 64).write(to: URL(fileURLWithPath: path))
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            for index in 0..<200 {
                try file.seek(toOffset: UInt64(index % 64) * 4_096)
                let watch = Stopwatch()
                try file.write(contentsOf: page)
                #if os(Linux)
                fdatasync(file.fileDescriptor)
                #else
                _ = fcntl(file.fileDescriptor, F_FULLFSYNC)
                #endif
                micros.append(watch.microseconds)
            }
            try file.close()
        } catch {
            throw BenchError("\(path) cannot be written: name a folder with room in --folder.")
        }
        remove(path)
        return micros.median
    }

    static func makeFolder(_ path: String) throws(BenchError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw BenchError("\(path) cannot be made: name another folder in --folder.")
        }
    }

    static func copy(_ from: String, to path: String) throws(BenchError) {
        do {
            try FileManager.default.copyItem(atPath: from, toPath: path)
        } catch {
            throw BenchError("\(from) cannot be copied: make room for the copy.")
        }
    }

    /// Returns the bytes of a file, or of all files below a folder; 0 for neither.
    static func bytes(below path: String) -> Int64 {
        let files = FileManager.default
        let below = (files.enumerator(atPath: path)?.allObjects ?? []).map { "\(path)/\($0)" }
        return ([path] + below).reduce(0) { sum, path in
            let attributes = try? files.attributesOfItem(atPath: path)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + ((attributes?[.size] as? Int64) ?? 0)
        }
    }

    static func remove(_ path: String) {
        // A missing file needs no removal, and a file that cannot be removed stays.
        try? FileManager.default.removeItem(atPath: path)
    }
}
