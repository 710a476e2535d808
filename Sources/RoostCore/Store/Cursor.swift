// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Which change log a cursor belongs to.
package enum CursorKey: Hashable, Sendable {
    /// The change log of my group channels.
    case channelChanges
    /// The change log of one channel's messages.
    case messageChanges(ChannelURL)
    /// The list of my group channels, page by page to its end.
    case channelFill

    /// Whose messages it is about.
    package var channel: ChannelURL? {
        switch self {
        case .channelChanges, .channelFill: nil
        case .messageChanges(let channel): channel
        }
    }
}

/// Up to where a change log has been read.
package enum Cursor: Hashable, Sendable {
    /// The server's own words for it.
    case token(String)
    /// Where the first question begins; a time of the server's clock (scar 2).
    case moment(Timestamp)
}
