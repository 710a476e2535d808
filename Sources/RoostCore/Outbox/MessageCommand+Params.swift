// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

extension MessageCommand {
    /// Creates the command that sends a text.
    package init(_ params: UserMessageParams, to channel: ChannelURL, as requestID: RequestID?) {
        self.init(
            channelURL: channel, requestID: requestID, content: .user(text: params.text),
            data: params.data, customType: params.customType, mention: params.mention,
            metaArrays: params.metaArrays, parentID: params.parentID,
            isReplyToChannel: params.isReplyToChannel, isSilent: params.isSilent,
            unknownFields: params.extraFields)
    }

    /// Creates the command that sends uploaded files.
    package init(_ params: FileMessageParams, to channel: ChannelURL, as requestID: RequestID?) {
        self.init(
            channelURL: channel, requestID: requestID, content: .file(FileContent(params)),
            data: params.data, customType: params.customType, mention: params.mention,
            metaArrays: params.metaArrays, parentID: params.parentID,
            isReplyToChannel: params.isReplyToChannel, isSilent: params.isSilent,
            unknownFields: params.extraFields)
    }

    /// Nil for a change, and for a message with a file that is not uploaded.
    init?(_ item: OutboxItem) {
        guard !item.hasUploads else { return nil }
        switch item.content {
        case .userMessage(let params): self.init(params, to: item.channel, as: item.requestID)
        case .fileMessage(let params, _): self.init(params, to: item.channel, as: item.requestID)
        case .change, .draft, .inbox: return nil
        }
    }
}
