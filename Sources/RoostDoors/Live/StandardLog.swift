// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The standard error of the process, written a line at a time.
enum StandardLog {
    static let write: @Sendable (String) -> Void = { line in
        // A line that cannot be written must not stop the app.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
