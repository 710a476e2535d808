// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostExecutors
public import RoostModel

/// A client's last inputs and decisions, without content.
public struct ClientJournal: Sendable {
    /// Lines of JSON, for a report or `roost journal FILE`.
    ///
    /// Names replace texts, users, channels, addresses and tokens; equal texts have equal names.
    /// Times, message IDs and random request IDs are not replaced.
    public let text: String
    private let content: NamedContent

    init(_ recording: Recording) {
        content = NamedContent(of: recording)
        text = JournalFile.text(of: recording, content)
    }

    /// Returns the name of a channel in the journal; nil if no entry is about the channel.
    public func name(of channel: ChannelURL) -> String? {
        content.number(of: channel.rawValue).map { _ in content.name(of: channel.rawValue) }
    }
}

extension ChatClient {
    /// Returns the client's last inputs with the decisions on each; the client keeps some thousands
    /// of them in memory.
    ///
    /// `roost journal FILE` shows them and makes every decision again. The call writes the whole
    /// text, which can take a second after a download: make it off the main thread.
    public func journal() -> ClientJournal { ClientJournal(recording) }

    /// The inputs before they are encoded.
    package var recording: Recording { engine.recording.withLock { $0 } }
}
