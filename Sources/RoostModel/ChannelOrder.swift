// SPDX-License-Identifier: Apache-2.0

/// The order of a channel list (`protocol.md` 3.2).
public enum ChannelOrder: String, Hashable, Sendable, CaseIterable {
    /// Newest last message first; channels without one after those with one, newest channel first.
    case latestLastMessage = "latest_last_message"
    /// Newest channel first.
    case chronological
}
