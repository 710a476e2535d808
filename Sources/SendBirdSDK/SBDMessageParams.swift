// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
package import RoostModel

/// The properties of a message to be sent.
public class SBDBaseMessageParams: NSObject {
    /// Text of the app's own; the server does not read it.
    public var data: String?
    /// A type of the app's own, which filters can select.
    public var customType: String?
    /// The mentioned users' IDs.
    public var mentionedUserIds: [String] = []
    /// The message to reply to; 0 outside of threads.
    public var parentMessageId: Int64 = 0

    var mention: Mention { Mention(userIDs: mentionedUserIds.map { UserID($0) }) }
    var parentID: MessageID? { parentMessageId == 0 ? nil : MessageID(parentMessageId) }
}

/// The properties of a text to be sent.
public final class SBDUserMessageParams: SBDBaseMessageParams {
    /// The text; at least one character.
    public var message: String?

    /// Creates parameters; never nil, and failable as in the old library.
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

/// The properties of a file to be sent.
public final class SBDFileMessageParams: SBDBaseMessageParams {
    /// The bytes of the file; nil if it lies at `fileUrl`.
    public var file: Data?
    /// The address at which the file lies already; nil if `file` has its bytes.
    public var fileUrl: String?
    /// The name of the file, without a folder.
    public var fileName: String?
    /// The media type, such as `image/png`.
    public var mimeType: String?
    /// The size in bytes.
    public var fileSize: UInt = 0

    /// Creates parameters for a file that is uploaded.
    public init?(file: Data) { self.file = file }

    /// Creates parameters for a file that lies at an address already.
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

/// The kinds of messages.
public enum SBDMessageTypeFilter: Int, Sendable {
    /// All kinds.
    case all
    /// Texts of users.
    case user
    /// Files of users.
    case file
    /// Texts of administrators and the server.
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

/// The selection and order of messages.
public final class SBDMessageListParams: NSObject {
    /// Whether messages with exactly the named time are included.
    public var isInclusive = false
    /// The number of messages before the named time.
    public var previousResultSize = 0
    /// The number of messages after the named time.
    public var nextResultSize = 0
    /// Whether the newest message comes first.
    public var reverse = false
    /// The kind of message.
    public var messageType = SBDMessageTypeFilter.all
    /// The custom type; nil for all.
    public var customType: String?
    /// The senders, any of whom fits; nil for all.
    public var senderUserIds: [String]?

    public override init() {}

    var filter: MessageFilter {
        MessageFilter(
            kind: messageType.kind, customTypes: customType.map { [$0] },
            senderIDs: senderUserIds?.map { UserID($0) })
    }
}

/// The selection of a change log; messages come with all their fields in any case.
public final class SBDMessageChangeLogsParams: NSObject {
    public override init() {}
}
