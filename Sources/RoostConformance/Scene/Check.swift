// SPDX-License-Identifier: Apache-2.0

/// One rule of the protocol with the program that looks whether a server keeps it.
package struct Check: Sendable {
    /// The name for options and reports: the group and a word, such as `messages.once`.
    package let id: String
    /// The section of `docs/protocol` that states the rule.
    package let section: String
    /// The rule, as a sentence.
    package let rule: String
    let body: @Sendable (Scene) async throws(CheckFailure) -> Void

    init(
        _ id: String, _ section: String, _ rule: String,
        _ body: @escaping @Sendable (Scene) async throws(CheckFailure) -> Void
    ) {
        self.id = id
        self.section = section
        self.rule = rule
        self.body = body
    }
}

/// The checks of one subject.
package struct CheckGroup: Sendable {
    /// The first part of its checks' names.
    package let name: String
    package let title: String
    /// Whether each server must offer the calls of the group; of another group a refusal as not
    /// offered skips the check.
    package let isRequired: Bool
    package let checks: [Check]

    init(_ name: String, _ title: String, isRequired: Bool, _ checks: [Check]) {
        self.name = name
        self.title = title
        self.isRequired = isRequired
        self.checks = checks
    }
}
