// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The change log or list of a cursor.
package enum CursorKey: Hashable, Codable, Sendable {
    /// The change log of the user's group channels.
    case channelChanges
    /// The change log of one channel's messages.
    case messageChanges(ChannelURL)
    /// The list of the user's group channels, page by page to its end.
    case channelFill

    /// The channel of the messages; nil for a log or list of channels.
    package var channel: ChannelURL? {
        switch self {
        case .channelChanges, .channelFill: nil
        case .messageChanges(let channel): channel
        }
    }
}

/// The place from which a change log or the list of channels is read on.
package enum Cursor: Hashable, Codable, Sendable {
    /// The server's token for the place.
    case token(String)
    /// A moment of the server's clock: at first, behind the end of a log, and after a rewind (scar
    /// 2).
    case moment(Timestamp)
}
