// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The properties that the parameters of texts and of files have alike.
package protocol CommonParams {
    var data: String { get }
    var customType: String { get }
    var mention: Mention { get }
    var metaArrays: [MetaArray] { get }
    var parentID: MessageID? { get }
    var isReplyToChannel: Bool { get }
    var isSilent: Bool { get }
    var extraFields: UnknownFields { get }
}

extension UserMessageParams: CommonParams {}
extension FileMessageParams: CommonParams {}

extension Message {
    /// Takes over the properties with which a message is sent, except for its content.
    mutating func take(_ params: some CommonParams) {
        data = params.data
        customType = params.customType
        mention = params.mention
        metaArrays = params.metaArrays
        parentID = params.parentID
        isReplyToChannel = params.isReplyToChannel
        isSilent = params.isSilent
    }
}
