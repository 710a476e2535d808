// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostHistory

/// The files of `roost check`, read part by part.
enum HistoryInput {
    private static let partBytes = 1 << 20

    /// Gives a file to a judge, line by line.
    ///
    /// - Returns: The number of a torn last line; nil if there is none.
    /// - Throws: `.storage` for a file that cannot be read, and for the first line that is no line
    ///   of a history.
    static func read(
        _ path: String, numbered number: Int, to judge: inout HistoryJudge
    ) throws(CommandFailure) -> Int? {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(
                .storage, "\(path) cannot be read: check the name and the rights of the file.")
        }
        var reader = HistoryReader(file: number)
        do throws(HistoryFault) {
            while let part = try next(handle) { try reader.take(part, to: &judge) }
            return try reader.finish(to: &judge)
        } catch {
            let place = error.line > 0 ? "\(path):\(error.line)" : path
            throw CommandFailure(.storage, "\(place): \(error.message.onOneLine)")
        }
    }

    /// Returns the next part; nil at the end.
    private static func next(_ handle: FileHandle) throws(HistoryFault) -> [UInt8]? {
        let data: Data?
        do {
            data = try handle.read(upToCount: partBytes)
        } catch {
            throw HistoryFault(
                line: 0, "The file cannot be read: name a file that roost client --history wrote.")
        }
        guard let data, !data.isEmpty else { return nil }
        return Array(data)
    }
}
