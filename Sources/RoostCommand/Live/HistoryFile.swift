// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RoostCommandLine
import RoostHistory
import RoostWire
import Synchronization

/// The history of one client on disk; lines are only ever appended.
///
/// A line is handed to the system in one write before `record` returns, so the end of the process
/// tears the last line at most. Opening cuts off such a remainder. A lock keeps other processes
/// out.
actor HistoryFile {
    /// The first bytes of a history; a torn first line has a part of them.
    private static let beginning = Array(#"{"is":"start","#.utf8)

    /// The name of the client, made with the file.
    let client: String
    private let path: String
    private let file: AppendedFile
    private let queue = DispatchQueue(label: "roost.history")
    /// Whether a write has failed; the queue learns it before the actor does.
    private let hasFailed = Mutex(false)
    private var number: Int64
    /// The failure of a write; afterwards nothing is written.
    private(set) var failure: CommandFailure?

    /// Opens a history to append to it, or makes one that only this user can read.
    ///
    /// - Throws: `.storage` if the file cannot be used, is in use, or is no history;
    ///   `.wrongArguments` if it is the history of another user.
    init(_ path: String, user: String, application: String) throws(CommandFailure) {
        guard let file = AppendedFile(path) else {
            throw CommandFailure(
                .storage,
                "The history \(path) cannot be written: name another file as --history.")
        }
        guard file.lock() else {
            throw CommandFailure(
                .storage,
                "The history \(path) is in use by another client: name another file as --history.")
        }
        let handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false)
        let end = try Self.end(of: handle, path, user: user, application: application)
        client = end?.client ?? "\(user)@\(TemporaryFolder.makeSecret().prefix(8))"
        number = end?.number ?? 0
        self.path = path
        self.file = file
    }

    /// Appends a line; returns its number when the system has it.
    @discardableResult
    func record(_ fact: HistoryFact) async -> Int64 {
        guard failure == nil else { return number }
        number += 1
        let bytes = HistoryLine(client: client, number: number, fact).bytes
        let ownNumber = number
        // The queue keeps the order of the numbers: nothing is awaited in between.
        let isWritten = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.append(bytes)) }
        }
        if !isWritten, failure == nil {
            failure = CommandFailure(
                .storage,
                "The history \(path) cannot be written, and ends before line \(ownNumber) of this "
                    + "client: make room, and name another file as --history.")
        }
        return ownNumber
    }

    /// Appends the bytes of a line unless an earlier line is missing or torn.
    private nonisolated func append(_ bytes: [UInt8]) -> Bool {
        hasFailed.withLock { hasFailed in
            if !hasFailed, !file.append(bytes) { hasFailed = true }
            return !hasFailed
        }
    }
}

// MARK: - An existing history

extension HistoryFile {
    private struct End {
        let client: String
        let number: Int64
    }

    /// Returns the last line of a history and cuts off a torn one behind it; nil for a new file.
    private static func end(
        of handle: FileHandle, _ path: String, user: String, application: String
    ) throws(CommandFailure) -> End? {
        let foreign = CommandFailure(
            .storage,
            "\(path) is no history of a client, or is damaged: name another file as --history.")
        do {
            let size = Int(clamping: try handle.seekToEnd())
            guard size > 0 else { return nil }
            let head = try bytes(of: handle, 0..<min(size, 1 << 16))
            guard let firstEnd = head.firstIndex(of: UInt8(ascii: "\n")) else {
                guard head.prefix(beginning.count).elementsEqual(beginning.prefix(head.count))
                else { throw foreign }
                try handle.truncate(atOffset: 0)
                return nil
            }
            guard let first = line(head[..<firstEnd]), case .start(let start) = first.fact else {
                throw foreign
            }
            guard start.user == user, start.application == application else {
                throw CommandFailure(
                    .wrongArguments,
                    "The history \(path) is of another user or application: name another file as "
                        + "--history.")
            }
            guard let (last, end) = try lastLine(of: handle, size), last.client == first.client
            else { throw foreign }
            if end < size { try handle.truncate(atOffset: UInt64(clamping: end)) }
            return End(client: last.client, number: last.number)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw foreign
        }
    }

    /// Returns the last complete line with the offset of its end; nil if it is no line of a history.
    private static func lastLine(
        of handle: FileHandle, _ size: Int
    ) throws -> (HistoryLine, end: Int)? {
        var window = 1 << 16
        while true {
            let start = max(0, size - window)
            let tail = try bytes(of: handle, start..<size)
            if let last = tail.lastIndex(of: UInt8(ascii: "\n")) {
                let before = tail[..<last].lastIndex(of: UInt8(ascii: "\n"))
                if let begin = before.map({ $0 + 1 }) ?? (start == 0 ? 0 : nil) {
                    return line(tail[begin..<last]).map { ($0, start + last + 1) }
                }
            }
            guard start > 0, window <= 4 * HistoryLimits.lineBytes else { return nil }
            window *= 2
        }
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> HistoryLine? {
        // Bytes that are no line are the caller's complaint.
        guard var reader = try? JSONReader(bytes: Array(bytes)) else { return nil }
        return try? HistoryLine(&reader)
    }

    private static func bytes(of handle: FileHandle, _ range: Range<Int>) throws -> [UInt8] {
        try handle.seek(toOffset: UInt64(clamping: range.lowerBound))
        return Array(try handle.read(upToCount: range.count) ?? Data())
    }
}
