// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A text of a user.
open class UserMessage: BaseMessage {
    /// The text in other languages, by language code.
    public var translations: [String: String] { details?.translations ?? [:] }
    /// The languages of these texts, in alphabetical order.
    public var translationTargetLanguages: [String] { translations.keys.sorted() }
}

/// A file of a user.
open class FileMessage: BaseMessage {
    private var file: FileContent? {
        guard case .file(let file) = value.content else { return nil }
        return file
    }

    /// The address of the file, with the file key if it needs one.
    public var url: String { file?.url ?? "" }
    /// The address of the file without the file key; nil without an address.
    public var plainURL: String? { file.flatMap { $0.url.isEmpty ? nil : $0.url } }
    /// The name of the file, without a folder.
    public var name: String { file?.name ?? "" }
    /// The media type, such as `image/png`.
    public var type: String { file?.type ?? "" }
    /// The size in bytes.
    public var size: UInt { UInt(clamping: file?.size.bytes ?? 0) }
    /// The smaller pictures that the server made; nil without any.
    public var thumbnails: [Thumbnail]? { file?.thumbnailObjects }
}

/// A message of a user with several files.
open class MultipleFilesMessage: BaseMessage {
    /// The files, in the order of the message.
    public var files: [UploadedFileInfo] {
        guard case .file(let file) = value.content else { return [] }
        return file.files.map { UploadedFileInfo($0) }
    }

    /// Returns the parameters that send the message again, or draw it while it waits.
    public func getMultipleFilesMessageParams() -> MultipleFilesMessageCreateParams? {
        messageParams as? MultipleFilesMessageCreateParams
    }
}

/// A text of an administrator or the server.
open class AdminMessage: BaseMessage {}

extension FileContent {
    /// Objects of the thumbnails; nil without any.
    var thumbnailObjects: [Thumbnail]? {
        thumbnails.isEmpty ? nil : thumbnails.map { Thumbnail($0) }
    }
}
