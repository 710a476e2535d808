// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCommandLine
import RoostWire

extension ClientSession {
    /// Downloads a file, with an event for each part that arrives.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - path: The path to copy the file to; nil leaves it in the folder of downloaded files.
    /// - Returns: The path and the size; the path is null if the folder is encrypted.
    /// - Throws: The failure of the download or of the copy.
    func download(_ url: String, to path: String?) async throws(RoostError) -> JSONValue {
        var file: DownloadedFile?
        for try await element in client.download(fileAt: url) {
            switch element {
            case .progress(let received, let total):
                let fields = [
                    JSONValue.Field("url", .string(url)),
                    JSONValue.Field("received", .int(received.bytes)),
                    JSONValue.Field("total", total.map { .int($0.bytes) } ?? .null),
                ]
                await output.write(ReplyLine.event("download", fields).text)
            case .finished(let found): file = found
            }
        }
        // A download ends with its file or with an error.
        guard let file else { return .null }
        if let path { try await client.copy(file, to: URL(fileURLWithPath: path)) }
        return [
            "path": (path ?? file.url?.path).map { .string($0) } ?? .null,
            "size": .int(file.size.bytes),
        ]
    }
}
