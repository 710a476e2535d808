// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The size of tests that try many cases of one kind.
package enum Sample {
    /// Whether such tests try every case, which `ROOST_LONG_TESTS` asks for.
    package static let isWhole = ProcessInfo.processInfo.environment["ROOST_LONG_TESTS"] != nil

    /// Returns some of the cases, evenly spread and with the first; all of them in a long run.
    package static func of<Case>(_ cases: [Case], quick count: Int) -> [Case] {
        guard !isWhole, cases.count > count else { return cases }
        return (0..<count).map { cases[$0 * cases.count / count] }
    }
}
