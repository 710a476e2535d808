// SPDX-License-Identifier: Apache-2.0

/// The bytes of answers and frames that a check may still read, so that no server fills the memory.
///
/// A parsed value takes some twenty times the memory of its text.
final class ReadBudget {
    /// The bytes for one check; none needs more than a few megabytes.
    private static let bytes = 12 << 20
    private var left = ReadBudget.bytes

    /// Takes the bytes of an answer or of a message of a socket.
    ///
    /// - Throws: A failure if the check has read too much.
    func take(_ bytes: Int) throws(CheckFailure) {
        left -= bytes
        guard left >= 0 else {
            throw CheckFailure(
                expected: "at most \(Self.bytes >> 20) MiB of answers and frames in one check",
                seen: "more than that")
        }
    }
}
