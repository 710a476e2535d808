// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The name of a saved file, made of a name that another person chose.
enum SavedName {
    private static let maxBytes = 120

    /// Returns a name without folders, control characters and a dot at its start.
    static func safe(_ name: String) -> String {
        let parts = name.split(whereSeparator: { $0 == "/" || $0 == "\\" })
        let last = parts.last.map { String($0) } ?? ""
        var safe = ""
        for scalar in last.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .unassigned, .privateUse, .lineSeparator,
                .paragraphSeparator:
                continue
            default: break
            }
            guard safe.utf8.count + UTF8.width(scalar) <= maxBytes else { break }
            safe.unicodeScalars.append(scalar)
        }
        safe = String(safe.drop { $0 == "." || $0 == " " || $0 == "-" })
        return safe.isEmpty ? "file" : safe
    }

    /// Returns the name with a number before its ending, such as `ticket-2.png`.
    static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 1 else { return name }
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            return "\(name)-\(number)"
        }
        return "\(name[..<dot])-\(number)\(name[dot...])"
    }

    /// Saves a file under the first free name in a folder, which is made if it is missing.
    ///
    /// - Parameters:
    ///   - name: The name that another person chose.
    ///   - folder: The folder.
    ///   - copy: Writes the contents to a place, where an empty file is.
    /// - Returns: The path of the file.
    /// - Throws: The error of the folder or of the copy, or a cancellation before it; then nothing
    ///   is left in the folder.
    static func save(
        _ name: String, in folder: URL, _ copy: @Sendable (URL) async throws -> Void
    ) async throws -> String {
        // The end of the session may have come since; its folder gets no more files.
        try Task.checkCancellation()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = try take(name, in: folder)
        do {
            try await copy(target)
        } catch {
            try? FileManager.default.removeItem(at: target)
            throw error
        }
        return target.path
    }

    /// Takes the first free name in a folder, with an empty file.
    ///
    /// Another file of that name may be saved at the same time, so the name is taken first.
    ///
    /// - Throws: An error if the folder cannot be written, or a thousand names are taken.
    static func take(_ name: String, in folder: URL) throws -> URL {
        let safe = safe(name)
        for number in 1...1_000 {
            let target = folder.appending(path: numbered(safe, number))
            do {
                try Data().write(to: target, options: .withoutOverwriting)
                return target
            } catch CocoaError.fileWriteFileExists {
                continue
            }
        }
        throw CocoaError(.fileWriteFileExists)
    }
}
