// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RoostCommandLine
import RoostHistory
import RoostWire

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "roost.history")
    private var number: Int64
    /// The failure of a write; afterwards nothing is written.
    private(set) var failure: CommandFailure?

    /// Opens a history to append to it, or makes one that only this user can read.
    ///
    /// - Throws: `.storage` if the file cannot be used, is in use, or is no history;
    ///   `.wrongArguments` if it is the history of another user.
    init(_ path: String, user: String, application: String) throws(CommandFailure) {
        // SAFETY: the path is valid during the call.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .storage, "The history \(path) cannot be written: name a file that can.")
        }
        self.descriptor = descriptor
        self.path = path
        do throws(CommandFailure) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw CommandFailure(
                    .storage, "The history \(path) is in use by another client: name another one.")
            }
            let end = try Self.end(of: descriptor, path, user: user, application: application)
            client = end?.client ?? "\(user)@\(TemporaryFolder.makeSecret().prefix(8))"
            number = end?.number ?? 0
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Appends a line; returns its number when the system has it.
    @discardableResult
    func record(_ fact: HistoryFact) async -> Int64 {
        guard failure == nil else { return number }
        number += 1
        let bytes = HistoryLine(client: client, number: number, fact).bytes
        let (ownNumber, descriptor) = (number, descriptor)
        // The queue keeps the order of the numbers: nothing is awaited in between.
        let isWritten = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Self.append(bytes, to: descriptor))
            }
        }
        if !isWritten, failure == nil {
            failure = CommandFailure(
                .storage,
                "The history \(path) cannot be written, and ends before line \(ownNumber) of this "
                    + "client: make room, and use a new one.")
        }
        return ownNumber
    }

    private static func append(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: the bytes are lent for the call, with their own count.
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
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
        of descriptor: Int32, _ path: String, user: String, application: String
    ) throws(CommandFailure) -> End? {
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw foreign(path) }
        guard size > 0 else { return nil }
        let head = bytes(of: descriptor, 0..<min(size, 1 << 16))
        guard let firstEnd = head.firstIndex(of: UInt8(ascii: "\n")) else {
            guard head.prefix(beginning.count).elementsEqual(beginning.prefix(head.count)) else {
                throw foreign(path)
            }
            try cut(descriptor, to: 0, path)
            return nil
        }
        guard let first = line(head[..<firstEnd]), case .start(let start) = first.fact else {
            throw foreign(path)
        }
        guard start.user == user, start.application == application else {
            throw CommandFailure(
                .wrongArguments,
                "The history \(path) is of another user or application: name another one.")
        }
        var window: off_t = 1 << 16
        while true {
            let start = max(0, size - window)
            let tail = bytes(of: descriptor, start..<size)
            if let last = tail.lastIndex(of: UInt8(ascii: "\n")) {
                let before = tail[..<last].lastIndex(of: UInt8(ascii: "\n"))
                if let begin = before.map({ $0 + 1 }) ?? (start == 0 ? 0 : nil) {
                    guard let found = line(tail[begin..<last]), found.client == first.client else {
                        throw foreign(path)
                    }
                    try cut(descriptor, to: start + off_t(last) + 1, path)
                    return End(client: found.client, number: found.number)
                }
            }
            guard start > 0, window <= 4 * off_t(HistoryLimits.lineBytes) else {
                throw foreign(path)
            }
            window *= 2
        }
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> HistoryLine? {
        // Bytes that are no line are the caller's complaint.
        guard var reader = try? JSONReader(bytes: Array(bytes)) else { return nil }
        return try? HistoryLine(&reader)
    }

    private static func bytes(
        of descriptor: Int32, _ range: Range<off_t>
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound))
        var filled = 0
        while filled < bytes.count {
            let wanted = bytes.count - filled
            let offset = range.lowerBound + off_t(filled)
            // SAFETY: the array is lent for the call, and the count is that of its rest.
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress?.advanced(by: filled), wanted, offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        // A file that shrank meanwhile ends where it ends.
        return Array(bytes.prefix(filled))
    }

    private static func cut(
        _ descriptor: Int32, to size: off_t, _ path: String
    ) throws(CommandFailure) {
        guard ftruncate(descriptor, size) == 0 else {
            throw CommandFailure(
                .storage,
                "The history \(path) cannot be shortened by its torn last line: name "
                    + "another one.")
        }
    }

    private static func foreign(_ path: String) -> CommandFailure {
        CommandFailure(
            .storage,
            "\(path) is no history of a client, or is damaged: name another file as --history.")
    }
}
