// SPDX-License-Identifier: Apache-2.0

extension Sequence where Element: Hashable {
    /// The elements without repetitions, in order of first occurrence.
    package var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
