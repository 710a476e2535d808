// SPDX-License-Identifier: Apache-2.0

/// The suggestion of a similar name for a misspelt one.
package enum NearestName {
    /// Returns the name with the fewest slips, of equals the first; nil if none is near.
    ///
    /// A slip is a letter too many, too few, a different one, or two exchanged. A beginning of at
    /// least two letters counts as near.
    package static func of(_ word: String, among names: [String]) -> String? {
        let word = word.lowercased()
        let letters = Array(word)
        let limit = letters.count <= 3 ? 1 : max(2, letters.count / 3)
        var best: (name: String, slips: Int)?
        for name in names {
            let isBeginning = letters.count >= 2 && name.hasPrefix(word)
            // Each letter too many or too few is a slip, also of a word of a megabyte.
            guard isBeginning || abs(letters.count - name.count) <= limit else { continue }
            let slips = isBeginning ? 1 : slips(from: letters, to: Array(name))
            if slips <= limit, slips < best?.slips ?? .max { best = (name, slips) }
        }
        return best?.name
    }

    /// Returns "; did you mean X?", or an empty text.
    package static func question(
        for word: String, among names: [String], prefix: String = ""
    ) -> String {
        of(word, among: names).map { "; did you mean \(prefix)\($0)?" } ?? "."
    }

    /// Returns the optimal string alignment distance.
    private static func slips(from word: [Character], to name: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...name.count)
        for row in word.indices {
            var current = [row + 1]
            for column in name.indices {
                let isSame = word[row] == name[column]
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, word[row] == name[column - 1],
                    word[row - 1] == name[column]
                {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[name.count]
    }
}
