// SPDX-License-Identifier: Apache-2.0

package import RoostCore
public import RoostModel

extension ChatClient {
    /// Returns the client's last inputs and decisions as lines of JSON, for a report or `roost
    /// journal`.
    ///
    /// The journal has the last 4,000 steps since the client was opened, in memory only. It
    /// contains no texts, names, URLs, tokens or users; channels are numbers. It does contain
    /// times, message IDs and request IDs. `roost journal FILE` shows and replays it.
    public func journal() -> String { JournalFile(journalRecord).text }

    /// The journal before it is encoded.
    package var journalRecord: SyncRecord { engine.journal.record }

    /// Returns the number that stands for a channel in the journal; nil if no step is about the
    /// channel.
    public func journalNumber(of channel: ChannelURL) -> Int? {
        engine.journal.number(of: channel)
    }
}
