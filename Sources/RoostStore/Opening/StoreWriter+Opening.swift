// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension StoreWriter {
    /// Opens the cache; again after `letGo`.
    func open(_ opening: CacheOpening) throws(StoreError) -> RepairReport {
        if try checkIsOpen() { return .intact }
        try switchboard.admit(gate)
        var opened = try opening.open(gate.interrupter)
        take(opened.connection, opened.takeLock())
        let report = opened.report ?? .intact
        do throws(StoreError) {
            try prepareIndex(in: opening.searchPlace)
        } catch {
            var error = error
            error.repairs.cache = report
            throw error
        }
        // The file for signals is in the folder that the opening has made.
        beginTelling(opening.listens ? opening.files : nil, isRepaired: report != .intact)
        return report
    }
}
