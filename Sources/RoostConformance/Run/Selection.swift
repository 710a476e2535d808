// SPDX-License-Identifier: Apache-2.0

/// The choice of checks for a run.
package enum Selection {
    /// A word that names neither a group nor a check.
    package struct Unknown: Error, Hashable, Sendable {
        package let word: String

        package init(word: String) { self.word = word }
    }

    /// Returns the groups with the checks that some words name; all without words.
    ///
    /// A word is the name of a group or of a check.
    package static func of(
        _ words: [String], in groups: [CheckGroup] = Catalogue.groups
    ) throws(Unknown) -> [CheckGroup] {
        guard !words.isEmpty else { return groups }
        for word in words
        where !groups.contains(where: { group in
            group.name == word || group.checks.contains { $0.id == word }
        }) {
            throw Unknown(word: word)
        }
        return groups.compactMap { group in
            let checks =
                words.contains(group.name)
                ? group.checks : group.checks.filter { words.contains($0.id) }
            return checks.isEmpty
                ? nil
                : CheckGroup(group.name, group.title, isRequired: group.isRequired, checks)
        }
    }
}
