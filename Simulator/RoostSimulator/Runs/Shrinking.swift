// SPDX-License-Identifier: Apache-2.0

/// The search for a short part of a failing run that fails too.
///
/// All chance of a step comes from its own number, so a step that is left out changes none of the
/// others.
package struct Shrinking {
    /// The steps that still fail.
    package private(set) var steps: [Int]
    /// The broken invariant of these steps.
    package private(set) var failure: String
    /// The number of runs that the search has taken.
    package private(set) var runs = 0

    /// - Parameters:
    ///   - report: A failing run.
    ///   - limit: The most runs to try.
    ///   - run: Runs some of the steps, and returns the result.
    package init?(_ report: RunReport, atMost limit: Int = 300, _ run: (Set<Int>) -> RunReport) {
        guard let failure = report.failure else { return nil }
        self.failure = failure
        steps = Array(0...report.steps)
        // Parts of half the steps first, then of a quarter, and at last single steps.
        var size = max(1, steps.count / 2)
        while runs < limit {
            let hasShrunk = removeParts(of: size, atMost: limit, run)
            if size == 1, !hasShrunk { break }
            size = hasShrunk ? min(size, max(1, steps.count / 2)) : max(1, size / 2)
        }
    }

    /// Leaves out every part of a size that the failure does not need, from the end.
    private mutating func removeParts(
        of size: Int, atMost limit: Int, _ run: (Set<Int>) -> RunReport
    ) -> Bool {
        let before = steps.count
        var end = steps.count
        while end > 0, runs < limit {
            let start = max(0, end - size)
            let left = Array(steps[..<start] + steps[end...])
            runs += 1
            if let failure = run(Set(left)).failure {
                self.failure = failure
                steps = left
            }
            end = start
        }
        return steps.count < before
    }
}
