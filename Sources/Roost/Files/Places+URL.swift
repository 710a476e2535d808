// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

// Places on disk as URLs of files; the opening or the send call refuses other URLs.

extension Configuration.Cache {
    /// A folder, as `.folder(_:)`.
    public static func folder(at url: URL) -> Configuration.Cache { .folder(url.filePath) }
}

extension Protection {
    /// Encrypts with a key in a file of a folder, as `keyFile(in:replacesKey:)`.
    public static func keyFile(inFolderAt url: URL, replacesKey: Bool = false) -> Protection {
        keyFile(in: url.filePath, replacesKey: replacesKey)
    }
}

extension OutgoingFile.Source {
    /// A file that is copied before the send call returns, as `.copy(of:)`.
    public static func copy(ofFileAt url: URL) -> OutgoingFile.Source { .copy(of: url.filePath) }

    /// A file that is read when it is uploaded, as `.reference(to:)`.
    public static func reference(toFileAt url: URL) -> OutgoingFile.Source {
        .reference(to: url.filePath)
    }
}

extension URL {
    /// The path of a file's URL; "" for any other URL.
    fileprivate var filePath: String { isFileURL ? path : "" }
}
