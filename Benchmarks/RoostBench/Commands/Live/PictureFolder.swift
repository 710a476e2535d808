// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine

/// A folder for pictures and their figures.
struct PictureFolder {
    let path: String

    /// Makes the folder if it is missing.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(.storage, "\(path) cannot be made: name another folder in --svg.")
        }
        guard FileManager.default.isWritableFile(atPath: path) else {
            throw CommandFailure(
                .storage, "\(path) cannot be written: name another folder in --svg.")
        }
    }

    /// Writes the figures and their pictures.
    func write(_ report: BenchReport) throws(BenchError) {
        try Self.write(report.json + "\n", to: "\(path)/\(Picture.name(of: report)).json")
        try draw(report)
    }

    /// Writes the pictures only.
    func draw(_ report: BenchReport) throws(BenchError) {
        for picture in Picture.all(of: report) {
            try Self.write(picture.svg, to: "\(path)/\(picture.name).svg")
        }
    }

    static func read(_ path: String) throws(BenchError) -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw BenchError("\(path) cannot be read: name a file of text.")
        }
    }

    static func write(_ text: String, to path: String) throws(BenchError) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw BenchError("\(path) cannot be written: make room, or name another place.")
        }
    }
}
