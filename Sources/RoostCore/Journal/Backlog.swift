// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What one list has yet to show: commits that came while it was read, and why it has to be read again.
package struct Backlog {
    private var commits: [(Commit, ChangeOrigin)] = []
    private var causes: Set<ChangeOrigin> = []

    package init() {}

    /// Keeps a commit for the end of a read, which may contain it.
    package mutating func wait(with commit: Commit, from origin: ChangeOrigin) {
        commits.append((commit, origin))
    }

    /// Whether a read contains commits that a list, which shows one, has not been told of.
    package func lacks(_ sequence: Int64, showing shown: Int64) -> Bool {
        shown > .min && max(shown, commits.last?.0.sequence ?? .min) < sequence
    }

    package mutating func note(_ cause: ChangeOrigin) { causes.insert(cause) }

    /// Where that comes from which a read has brought: what it was made for, what made it necessary, and
    /// the commits it has overtaken.
    package mutating func origins(
        of origin: ChangeOrigin?, through sequence: Int64, _ concerns: (Change) -> Bool
    ) -> Set<ChangeOrigin> {
        var origins = causes
        causes = []
        if let origin { origins.insert(origin) }
        for (commit, origin) in commits where commit.sequence <= sequence {
            if commit.changes.contains(where: concerns) { origins.insert(origin) }
        }
        return origins.isEmpty ? [.disk] : origins
    }

    /// Whether a commit that a read has overtaken has a change of a kind.
    package func contains(through sequence: Int64, _ isMeant: (Change) -> Bool) -> Bool {
        commits.contains { commit, _ in
            commit.sequence <= sequence && commit.changes.contains(where: isMeant)
        }
    }

    package mutating func takeCommits() -> [(Commit, ChangeOrigin)] {
        defer { commits = [] }
        return commits
    }
}

extension Change {
    /// Whether it may be seen in the messages of a channel.
    package func concerns(_ channel: ChannelURL) -> Bool {
        switch self {
        case .messages(let change): change.channel == channel
        case .users: true
        case .channels: false
        }
    }

    /// Whether it took the beginning of a channel's history away, for the user.
    package func cutsHistory(of channel: ChannelURL) -> Bool {
        if case .messages(let change) = self {
            return change.channel == channel && change.cutThrough != nil
        }
        return false
    }

    /// Whether it may be seen in a list of channels.
    package var concernsChannels: Bool {
        switch self {
        case .messages: false
        case .users, .channels: true
        }
    }
}
