// SPDX-License-Identifier: Apache-2.0

extension Sequence where Element: Hashable {
    /// The elements, each once, in the order in which they first stand.
    package var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
