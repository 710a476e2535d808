// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension Sequence where Element: Hashable {
    /// The elements without repetitions, in order of first occurrence.
    package var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

/// A text that is compared byte by byte, as the IDs of users are.
struct ExactText: Identifier {
    let rawValue: String

    init(_ rawValue: String) { self.rawValue = rawValue }
}

extension Sequence<String> {
    /// The texts without repetitions of the same bytes, in order of first occurrence.
    var exactlyUniqued: [String] { map { ExactText($0) }.uniqued.map(\.rawValue) }
}
