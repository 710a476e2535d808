// SPDX-License-Identifier: Apache-2.0

/// Numbers of the order of writing that this process may give away.
///
/// The disk notes the last of them in a page of its own, which each message would write besides its own two
/// if numbers were taken singly. Who finds another number there than `last` has nothing left: another
/// process has taken some since, and what is written now comes behind its. A number that nobody used is
/// skipped.
struct SequenceStock {
    static let size: Int64 = 100

    private var next: Int64 = 1
    /// What the disk has to say for the rest to be worth anything.
    private(set) var last: Int64 = 0
    /// The highest number that this process knows of: a file that was damaged may have forgotten it.
    private var highest: Int64 = 0

    /// Leaves nothing; after anything has failed, which may have undone what was noted.
    mutating func drop() { (next, last) = (1, 0) }

    /// Takes the first number that comes after `noted` and after all that are known, and keeps the next ones.
    mutating func begin(after noted: Int64) -> Int64 {
        let number = max(noted, highest) + 1
        (next, last, highest) = (number + 1, number - 1 + Self.size, number)
        return number
    }

    mutating func take() -> Int64? {
        guard next <= last else { return nil }
        defer { next += 1 }
        highest = max(highest, next)
        return next
    }

    /// Notes a number that was read.
    mutating func know(_ number: Int64) { highest = max(highest, number) }
}
