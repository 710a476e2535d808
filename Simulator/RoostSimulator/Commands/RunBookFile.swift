// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostModel

/// A book of finished runs on disk; lines are only ever appended.
struct RunBookFile {
    private(set) var book: RunBook
    private let path: String
    private let file: AppendedFile

    /// Opens a book to continue it, or makes one.
    ///
    /// - Throws: `.storage` if the file cannot be used, is in use, or holds other runs.
    init(_ path: String, world: World, steps: Int) throws(CommandFailure) {
        guard let file = AppendedFile(path) else {
            throw CommandFailure(
                .storage, "The book \(path) cannot be written: name a file that can.")
        }
        guard file.lock() else {
            throw CommandFailure(
                .storage, "The book \(path) is in use by another run: name another one.")
        }
        let handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false)
        let series = RunBook.Series(
            program: try Self.programHash(), world: world, steps: steps)
        do {
            try handle.seek(toOffset: 0)
            let bytes = try handle.readToEnd() ?? Data()
            book = try RunBook(series, text: String(decoding: bytes, as: UTF8.self))
            // A torn line would join the next one.
            let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            if end < bytes.count { try handle.truncate(atOffset: UInt64(end)) }
            self.path = path
            self.file = file
            if end == 0 { try append(series.line) }
        } catch let failure as CommandFailure {
            throw failure
        } catch let unfit as RunBook.Unfit {
            throw CommandFailure(
                .storage,
                "The book \(path) holds runs of another program, world or number of steps, or is "
                    + "damaged, at \"\(unfit.line.prefix(120))\": name another one.")
        } catch {
            throw CommandFailure(
                .storage, "The book \(path) cannot be read: name a file that can.")
        }
    }

    /// Adds a finished block; it is in the system's hands when this returns.
    mutating func note(_ block: RunBook.Block) throws(CommandFailure) {
        precondition(book.note(block), "The block was chosen from the seeds that are missing.")
        try append(block.line)
    }

    private func append(_ line: String) throws(CommandFailure) {
        guard file.append(Array((line + "\n").utf8)) else {
            throw CommandFailure(
                .storage, "The book \(path) cannot be written: make room, and continue it.")
        }
    }

    /// A hash of this program's file: runs of two programs do not add up.
    private static func programHash() throws(CommandFailure) -> String {
        guard let path = Bundle.main.executablePath,
            let bytes = try? Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        else {
            throw CommandFailure(.storage, "The file of this program cannot be read.")
        }
        return String(bytes.fnv1a, radix: 16)
    }
}
