// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The bytes that are left for the rows of one answer.
///
/// A list with a token ends early when the budget is spent, and the token leads to the rest. The
/// first row always fits, so every page makes progress.
struct AnswerBudget {
    private var left: Int
    /// Whether no row was taken yet.
    private var isFresh = true

    init(_ bytes: Int) { left = bytes }

    /// Takes a row's bytes.
    ///
    /// - Returns: False if the row belongs on the next page; then nothing is taken.
    mutating func take(_ bytes: Int) -> Bool {
        guard isFresh || bytes <= left else { return false }
        isFresh = false
        left -= bytes
        return true
    }
}

extension Array {
    /// Returns the elements in parts, in order; each part weighs at most a bound.
    ///
    /// An element that alone weighs more is a part of its own.
    func parts(of bytes: Int, _ weight: (Element) -> Int) -> [[Element]] {
        var parts: [[Element]] = []
        // The first element begins the first part, and that sets the budget.
        var budget = AnswerBudget(0)
        for element in self {
            let own = weight(element)
            if !parts.isEmpty, budget.take(own) {
                parts[parts.count - 1].append(element)
            } else {
                parts.append([element])
                budget = AnswerBudget(bytes)
                _ = budget.take(own)
            }
        }
        return parts
    }

    /// Returns the first elements, as many as fit into a bound together, but at least one.
    func prefix(within bytes: Int, _ weight: (Element) -> Int) -> ArraySlice<Element> {
        var budget = AnswerBudget(bytes)
        return prefix { budget.take(weight($0)) }
    }
}
