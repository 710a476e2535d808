// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
package import RoostModel

/// What an app says about a message it wants to send.
public class SBDBaseMessageParams: NSObject {
    public var data: String?
    public var customType: String?
    public var mentionedUserIds: [String] = []
    public var parentMessageId: Int64 = 0

    var mention: Mention { Mention(userIDs: mentionedUserIds.map { UserID($0) }) }
    var parentID: MessageID? { parentMessageId == 0 ? nil : MessageID(parentMessageId) }
}

public final class SBDUserMessageParams: SBDBaseMessageParams {
    public var message: String?

    public init?(message: String) { self.message = message }

    var value: UserMessageParams {
        UserMessageParams(
            text: message ?? "", data: data ?? "", customType: customType ?? "",
            mention: mention, parentID: parentID)
    }

    var edit: MessageEdit {
        MessageEdit(
            text: message, data: data, customType: customType,
            mention: mentionedUserIds.isEmpty ? nil : mention)
    }
}

public final class SBDFileMessageParams: SBDBaseMessageParams {
    /// The bytes of the file; nil when it lies at `fileUrl`.
    public var file: Data?
    public var fileUrl: String?
    public var fileName: String?
    public var mimeType: String?
    /// In bytes.
    public var fileSize: UInt = 0

    public init?(file: Data) { self.file = file }

    public init?(fileUrl: String) { self.fileUrl = fileUrl }

    var value: FileMessageParams {
        let source: OutgoingFile.Source =
            if let file {
                .bytes(Array(file))
            } else {
                OutgoingFile.Source(address: fileUrl ?? "")
            }
        return FileMessageParams(
            files: [
                OutgoingFile(
                    source, name: fileName ?? "", type: mimeType ?? "application/octet-stream",
                    size: fileSize == 0 ? nil : ByteCount(bytes: Int64(clamping: fileSize)))
            ],
            data: data ?? "", customType: customType ?? "", mention: mention, parentID: parentID)
    }
}

public enum SBDMessageTypeFilter: Int, Sendable {
    case all
    case user
    case file
    case admin

    package var kind: MessageFilter.Kind {
        switch self {
        case .all: .all
        case .user: .user
        case .file: .file
        case .admin: .admin
        }
    }
}

/// Which messages are meant, and how they are to come.
public final class SBDMessageListParams: NSObject {
    public var isInclusive = false
    public var previousResultSize = 0
    public var nextResultSize = 0
    public var reverse = false
    public var messageType = SBDMessageTypeFilter.all
    public var customType: String?
    public var senderUserIds: [String]?

    public override init() {}

    var filter: MessageFilter {
        MessageFilter(
            kind: messageType.kind, customTypes: customType.map { [$0] },
            senderIDs: senderUserIds?.map { UserID($0) })
    }
}

/// What a change log is to tell; everything a message carries comes.
public final class SBDMessageChangeLogsParams: NSObject {
    public override init() {}
}
