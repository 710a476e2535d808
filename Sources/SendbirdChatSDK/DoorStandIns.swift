// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

// Stand-ins for types of the part about messages; this file is deleted at the merge.

/// The handler of a channel, or of the error.
public typealias GroupChannelHandler = (GroupChannel?, SBError?) -> Void

/// The replies to a message.
public final class ThreadInfo: NSObject {
    /// The number of replies.
    public let replyCount: Int

    init(_ info: RoostModel.ThreadInfo) { replyCount = info.replyCount }
}

/// A change of the replies to a message.
public final class ThreadInfoUpdateEvent: NSObject {
    /// The message that the replies belong to.
    public let targetMessageId: Int64
    /// The channel of the message.
    public let channelURL: String
    /// The kind of that channel.
    public let channelType: ChannelType
    /// The replies now.
    public let threadInfo: ThreadInfo

    init(_ info: RoostModel.ThreadInfo, of message: MessageID, in channel: ChannelURL) {
        targetMessageId = message.rawValue
        channelURL = channel.rawValue
        channelType = .group
        threadInfo = ThreadInfo(info)
    }
}

extension RoostError {
    /// Returns the error of a call that the client cannot make.
    static func notSupported(_ sentence: String) -> RoostError {
        RoostError(
            Code(ChatError.invalidParameter.rawValue), remedy: .correctInput, message: sentence)
    }
}
