// SPDX-License-Identifier: Apache-2.0

/// Numbers of the order of writing that this process may give away.
///
/// The disk notes the last of them in a page of its own, which each message would write besides its own two
/// if numbers were taken singly. Who finds another number there than `last` has nothing left: another
/// process has taken some since, and what is written now comes behind its. A number that nobody used is
/// skipped.
struct SequenceStock {
    private static let size: Int64 = 100

    private var next: Int64
    /// What the disk has to say for the rest to be worth anything.
    let last: Int64

    /// Nothing; also after anything has failed, which may have undone what was noted.
    init() { (next, last) = (1, 0) }

    /// What comes after `taken`, of which the caller has the first.
    init(after taken: Int64) { (next, last) = (taken + 2, taken + Self.size) }

    mutating func take() -> Int64? {
        guard next <= last else { return nil }
        defer { next += 1 }
        return next
    }
}
