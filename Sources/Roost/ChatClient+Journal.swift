// SPDX-License-Identifier: Apache-2.0

package import RoostCore
public import RoostModel

extension ChatClient {
    /// What the client took in and decided lately, as lines of JSON: for a report, or for `roost journal`.
    ///
    /// The last 4,000 steps since the client was opened, in memory only. No text, name, URL, token or user stands in it,
    /// and channels are numbers; places in time, message IDs and request IDs do. `roost journal FILE`
    /// draws it, and lives it again up to any step.
    public func journal() -> String { JournalFile(journalRecord).text }

    /// The journal before it is text.
    package var journalRecord: SyncRecord { engine.journal.record }

    /// The number that stands for a channel in the journal; nil when nothing was about it.
    public func journalNumber(of channel: ChannelURL) -> Int? {
        engine.journal.number(of: channel)
    }
}
