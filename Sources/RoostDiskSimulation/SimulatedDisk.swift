// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors

/// The disk below one folder, as SQLite sees it; it fails on request and records writes.
///
/// Every database below the folder uses it as long as this object lives; all other databases of the
/// process use the real disk.
package final class SimulatedDisk: Sendable {
    package enum Operation: Equatable, Sendable, CaseIterable {
        case open, read, write, sync, truncate, delete
        /// Of the memory that processes share.
        case map
    }

    /// A planned fault.
    package struct Fault: Sendable {
        package var operation: Operation
        /// The beginning of the file's name; the end is in `suffix`.
        package var prefix: String
        package var suffix: String
        /// The number of the first matching operation that fails, from one.
        package var nth: Int
        /// SQLite's error code.
        package var code: Int32
        /// The system's error of a failing write, in `errno`; nil leaves it as it is.
        package var systemError: Int32?
        /// Whether all later operations of the kind fail too.
        package var lasts: Bool
        /// The number of bytes of a failing write that are written all the same.
        package var tornAfter: Int

        package init(
            _ operation: Operation, of prefix: String = "", suffix: String = "", nth: Int = 1,
            code: Int32, systemError: Int32? = nil, lasts: Bool = false, tornAfter: Int = 0
        ) {
            self.operation = operation
            self.prefix = prefix
            self.suffix = suffix
            self.nth = nth
            self.code = code
            self.systemError = systemError
            self.lasts = lasts
            self.tornAfter = tornAfter
        }
    }

    private struct State {
        var fault: Fault?
        var matches = 0
        var hits = 0
        var recording: Recording?
        /// The disk at the last requested moment; later requests continue from there.
        var platter = Platter()
        var platterMoment = 0
    }

    package let folder: String
    /// Whether writes are recorded.
    let records: Bool
    private let state: Guarded<State>

    /// - Parameters:
    ///   - folder: An existing folder, without symbolic links in its path.
    ///   - records: Whether all writes are recorded, for `lose(after:_:in:)`.
    package init(_ folder: String, records: Bool = false) {
        self.folder = folder
        self.records = records
        state = Guarded(State(recording: records ? Recording() : nil))
        DiskDriver.install()
        DiskDriver.add(self)
    }

    /// Returns the number of disks below a folder that still have a reference, such as by an open
    /// file.
    package static func count(in folder: String) -> Int { DiskDriver.diskCount(in: folder) }

    /// Plans a fault and restarts the count; nil lets all operations succeed again.
    package func plan(_ fault: Fault?) {
        state.withLock { state in
            state.fault = fault
            state.matches = 0
            state.hits = 0
        }
    }

    /// The number of operations of the planned kind so far.
    package var matches: Int { state.withLock { $0.matches } }
    /// The number of failed operations.
    package var hits: Int { state.withLock { $0.hits } }

    /// The number of changes so far, as a moment at which power can fail.
    package var moment: Int { state.withLock { $0.recording?.events.count ?? 0 } }

    /// The recorded changes, in order.
    package var events: [DiskEvent] { state.withLock { $0.recording?.events ?? [] } }

    private func loss(after moment: Int, _ survival: Survival) -> [String: [UInt8]] {
        state.withLock { state in
            if moment < state.platterMoment {
                (state.platter, state.platterMoment) = (Platter(), 0)
            }
            for event in state.recording?.events[state.platterMoment..<moment] ?? [] {
                state.platter.apply(event)
            }
            state.platterMoment = moment
            return state.platter.loss(survival)
        }
    }

    /// Returns the fault if an operation has to fail.
    func verdict(_ operation: Operation, _ name: String) -> Fault? {
        state.withLock { state in
            guard let fault = state.fault, fault.operation == operation,
                name.hasPrefix(fault.prefix), name.hasSuffix(fault.suffix)
            else { return nil }
            state.matches += 1
            guard state.matches == fault.nth || (fault.lasts && state.matches > fault.nth) else {
                return nil
            }
            state.hits += 1
            return fault
        }
    }

    func record(_ event: DiskEvent) {
        state.withLock { $0.recording?.append(event) }
    }

    /// Returns the number of a file before its use; `content` is called for a file without a
    /// record.
    func number(of path: String, isNew: Bool, content: () -> [UInt8]) -> Int {
        let known = state.withLock { state in
            isNew ? nil : state.recording.map { $0.numbers[path] } ?? 0
        }
        if let known { return known }
        let bytes = isNew ? [] : content()
        return state.withLock { $0.recording?.begin(path, bytes) ?? 0 }
    }
}

extension SimulatedDisk {
    /// Writes the disk's content after a loss of power at a moment to another folder.
    ///
    /// - Parameters:
    ///   - moment: The number of changes before the failure.
    ///   - survival: The fate of unsynced writes.
    ///   - target: An empty folder.
    /// - Throws: An error if the files cannot be written.
    package func lose(after moment: Int, _ survival: Survival, in target: String) throws {
        for (path, content) in loss(after: moment, survival) {
            let url = URL(fileURLWithPath: target + path.dropFirst(folder.count))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: url)
        }
    }
}
