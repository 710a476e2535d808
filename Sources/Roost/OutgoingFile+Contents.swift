// SPDX-License-Identifier: Apache-2.0

package import RoostModel
internal import RoostStore

extension OutgoingFile {
    /// Whether this device has the bytes of the file, as long as the message is unsent.
    package var hasContents: Bool {
        if case .url = source { sealedCopy != nil } else { true }
    }

    /// Returns the bytes of the file, read on the calling thread; nil if they cannot be read.
    package func readNow() -> [UInt8]? { try? contents() }
}
