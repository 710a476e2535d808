// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// A file of a message with several files, as the server has it.
public final class UploadedFileInfo: NSObject {
    /// The address of the file, with the file key if it needs one.
    public let url: String
    /// The address of the file without the file key.
    public let plainURL: String
    /// The name of the file, without a folder.
    public let fileName: String?
    /// The media type, such as `image/png`.
    public let mimeType: String?
    /// The size in bytes.
    public let fileSize: UInt
    /// The smaller pictures that the server made; nil without any.
    public let thumbnails: [Thumbnail]?

    init(_ file: FileContent) {
        url = file.url
        plainURL = file.url
        fileName = file.name.isEmpty ? nil : file.name
        mimeType = file.type.isEmpty ? nil : file.type
        fileSize = UInt(clamping: file.size.bytes)
        thumbnails = file.thumbnailObjects
    }
}

/// A file of a message with several files, to be sent.
public final class UploadableFileInfo: NSObject {
    /// The bytes of the file; nil if it lies at `fileURL`.
    public let file: Data?
    /// The address at which the file lies already; nil if `file` has its bytes.
    public let fileURL: String?
    /// The name of the file, without a folder.
    public var fileName: String?
    /// The media type, such as `image/png`.
    public var mimeType: String?
    /// The size in bytes; 0 stands for the size of the file itself.
    public var fileSize: UInt = 0
    /// The greatest sizes of the smaller pictures that the server is asked to make.
    public var thumbnailSizes: [ThumbnailSize]?

    /// Creates a file that is uploaded.
    public init(file: Data) {
        self.file = file
        fileURL = nil
    }

    /// Creates a file that lies at an address already, or at a path of this device.
    public init(fileURL: String) {
        file = nil
        self.fileURL = fileURL
    }

    convenience init(_ file: OutgoingFile) {
        let (bytes, url) = file.origin
        if let bytes { self.init(file: bytes) } else { self.init(fileURL: url ?? "") }
        fileName = file.name
        mimeType = file.type
        fileSize = UInt(clamping: file.size?.bytes ?? 0)
        thumbnailSizes = file.sizeObjects
    }

    var value: OutgoingFile {
        OutgoingFile(
            file, at: fileURL, name: fileName, type: mimeType, size: fileSize,
            thumbnailSizes: thumbnailSizes)
    }

    func copied() -> UploadableFileInfo {
        let copy =
            file.map { UploadableFileInfo(file: $0) }
            ?? UploadableFileInfo(fileURL: fileURL ?? "")
        copy.fileName = fileName
        copy.mimeType = mimeType
        copy.fileSize = fileSize
        copy.thumbnailSizes = thumbnailSizes
        return copy
    }
}

/// A smaller picture of a file.
public final class Thumbnail: NSObject {
    /// The address of the picture, with the file key if it needs one.
    public let url: String
    /// The address of the picture without the file key.
    public let plainURL: String?
    /// The greatest size that was asked for, in pixels.
    public let maxSize: CGSize
    /// The size of the picture, in pixels; zero if unknown.
    public let realSize: CGSize

    init(_ thumbnail: RoostModel.Thumbnail) {
        url = thumbnail.url
        plainURL = thumbnail.plainURL.isEmpty ? thumbnail.url : thumbnail.plainURL
        maxSize = CGSize(width: thumbnail.width, height: thumbnail.height)
        realSize = CGSize(width: thumbnail.realWidth, height: thumbnail.realHeight)
    }
}

/// The greatest size of a smaller picture that the server is asked to make, in pixels.
public final class ThumbnailSize: NSObject {
    /// The greatest width and height.
    public let maxSize: CGSize

    init(_ maxSize: CGSize) { self.maxSize = maxSize }

    /// Returns a size.
    public class func make(maxSize: CGSize) -> ThumbnailSize { ThumbnailSize(maxSize) }

    /// Returns a size of this width and height.
    public class func make(maxWidth: CGFloat, maxHeight: CGFloat) -> ThumbnailSize {
        ThumbnailSize(CGSize(width: maxWidth, height: maxHeight))
    }

    /// Returns the size that was asked for when a picture was made.
    public class func make(thumbnail: Thumbnail) -> ThumbnailSize {
        ThumbnailSize(thumbnail.maxSize)
    }
}
