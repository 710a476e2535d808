// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The waiting commits of a list that is being read, and the reasons for the next read.
package struct Backlog: Codable, Sendable {
    private var commits: [Entry] = []
    private var causes: Set<ChangeOrigin> = []

    package struct Entry: Codable, Sendable {
        package let commit: Commit
        package let origin: ChangeOrigin
    }

    package init() {}

    /// Keeps a commit until the end of a read, which may contain it.
    package mutating func wait(with commit: Commit, from origin: ChangeOrigin) {
        commits.append(Entry(commit: commit, origin: origin))
    }

    /// Returns whether a read contains commits that a list with the commit `shown` has not
    /// received.
    package func lacks(_ sequence: Int64, showing shown: Int64) -> Bool {
        shown > .min && max(shown, commits.last?.commit.sequence ?? .min) < sequence
    }

    package mutating func note(_ cause: ChangeOrigin) { causes.insert(cause) }

    /// Returns the origins of a read's changes: its cause, the commits that made it necessary, and
    /// the commits it has overtaken.
    package mutating func origins(
        of origin: ChangeOrigin?, through sequence: Int64, _ concerns: (Change) -> Bool
    ) -> Set<ChangeOrigin> {
        var origins = causes
        causes = []
        if let origin { origins.insert(origin) }
        for entry in overtaken(by: sequence) where entry.commit.changes.contains(where: concerns) {
            origins.insert(entry.origin)
        }
        return origins.isEmpty ? [.disk] : origins
    }

    /// Returns whether a commit that a read has overtaken has a change of a kind.
    package func contains(through sequence: Int64, _ isMeant: (Change) -> Bool) -> Bool {
        commits(through: sequence).contains { $0.changes.contains(where: isMeant) }
    }

    /// Returns the waiting commits that a read contains.
    package func commits(through sequence: Int64) -> [Commit] {
        overtaken(by: sequence).map(\.commit)
    }

    private func overtaken(by sequence: Int64) -> [Entry] {
        commits.filter { $0.commit.sequence <= sequence }
    }

    package mutating func takeCommits() -> [Entry] {
        defer { commits = [] }
        return commits
    }
}

extension Change {
    /// Returns whether the change may affect the messages of a channel.
    package func concerns(_ channel: ChannelURL) -> Bool {
        switch self {
        case .messages(let change): change.channel == channel
        case .users: true
        case .channels: false
        }
    }

    /// Returns whether the change removed the beginning of a channel's history for the user.
    package func cutsHistory(of channel: ChannelURL) -> Bool {
        if case .messages(let change) = self {
            return change.channel == channel && change.cutThrough != nil
        }
        return false
    }

    /// Whether the change may affect a list of channels.
    package var concernsChannels: Bool {
        switch self {
        case .messages: false
        case .users, .channels: true
        }
    }
}
