// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors

/// The disk below one folder, as SQLite sees it: fails when told to, and remembers what was written.
///
/// Every database below the folder is concerned, whoever opens it and however, as long as this object
/// lives; all other databases of the process are not.
package final class SimulatedDisk: Sendable {
    package enum Operation: Hashable, Sendable, CaseIterable {
        case open, read, write, sync, truncate, delete
        /// Of the memory that the processes share.
        case map
    }

    /// What shall go wrong.
    package struct Fault: Sendable {
        package var operation: Operation
        /// Concerns files whose name begins so and ends so.
        package var prefix: String
        package var suffix: String
        /// Counts matching operations from one.
        package var nth: Int
        /// What SQLite is told.
        package var code: Int32
        /// Whether all later operations of the kind fail too.
        package var lasts: Bool
        /// Bytes of a failing write that arrive all the same.
        package var tornAfter: Int

        package init(
            _ operation: Operation, of prefix: String = "", suffix: String = "", nth: Int = 1,
            code: Int32, lasts: Bool = false, tornAfter: Int = 0
        ) {
            self.operation = operation
            self.prefix = prefix
            self.suffix = suffix
            self.nth = nth
            self.code = code
            self.lasts = lasts
            self.tornAfter = tornAfter
        }
    }

    private struct State {
        var fault: Fault?
        var matches = 0
        var hits = 0
        var recording: Recording?
        /// The disk at the last moment that was asked for; later ones go on from there.
        var platter = Platter()
        var platterMoment = 0
    }

    package let folder: String
    /// Whether what is written is remembered.
    let records: Bool
    private let state: Guarded<State>

    /// - Parameters:
    ///   - folder: An existing folder, without symbolic links in its path.
    ///   - records: Whether everything written is remembered, for `lose(after:_:in:)`.
    package init(_ folder: String, records: Bool = false) {
        self.folder = folder
        self.records = records
        state = Guarded(State(recording: records ? Recording() : nil))
        DiskDriver.install()
        DiskDriver.add(self)
    }

    /// How many disks below a folder somebody still has, be it an open file of theirs.
    package static func count(in folder: String) -> Int { DiskDriver.diskCount(in: folder) }

    /// Plans a fault and counts anew; nil lets everything succeed again.
    package func plan(_ fault: Fault?) {
        state.withLock { state in
            state.fault = fault
            state.matches = 0
            state.hits = 0
        }
    }

    /// Operations of the planned kind so far.
    package var matches: Int { state.withLock { $0.matches } }
    /// How many of them failed.
    package var hits: Int { state.withLock { $0.hits } }

    /// What was done to the disk so far; a moment at which power can fail.
    package var moment: Int { state.withLock { $0.recording?.events.count ?? 0 } }

    /// What was done, in its order.
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

    /// Whether an operation shall fail, and how.
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

    /// The number of a file that is about to be used; `content` is asked for what nobody recorded.
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
    /// Makes the disk anew, in another folder, as it is found after power failed at a moment.
    ///
    /// - Parameters:
    ///   - moment: Events that came before the failure.
    ///   - survival: What becomes of what was not synced.
    ///   - target: An empty folder.
    /// - Throws: What writing the files answers.
    package func lose(after moment: Int, _ survival: Survival, in target: String) throws {
        for (path, content) in loss(after: moment, survival) {
            let url = URL(fileURLWithPath: target + path.dropFirst(folder.count))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: url)
        }
    }
}
