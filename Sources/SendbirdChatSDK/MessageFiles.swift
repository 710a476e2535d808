// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
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
    /// The bytes of the file; nil if it lies at a network address.
    ///
    /// Those of an unsent message are read from the outbox, on the calling thread.
    public var file: Data? { origin.bytes }
    /// The address at which the file lies already, or a path of this device; nil for bytes.
    public var fileURL: String? { origin.address }
    private let origin: FileOrigin
    /// The name of the file, without a folder.
    public var fileName: String?
    /// The media type, such as `image/png`.
    public var mimeType: String?
    /// The size in bytes; 0 stands for the size of the file itself.
    public var fileSize: UInt = 0
    /// The greatest sizes of the smaller pictures that the server is asked to make.
    public var thumbnailSizes: [ThumbnailSize]?

    /// Creates a file that is uploaded.
    public init(file: Data) { origin = FileOrigin(bytes: file) }

    /// Creates a file that lies at an address already, or at a path of this device.
    public init(fileURL: String) { origin = FileOrigin(address: fileURL) }

    private init(_ origin: FileOrigin) { self.origin = origin }

    convenience init(_ file: OutgoingFile) {
        self.init(FileOrigin(file))
        fileName = file.name.orNil
        mimeType = file.type
        fileSize = UInt(clamping: file.size?.bytes ?? 0)
        thumbnailSizes = file.sizeObjects
    }

    var value: OutgoingFile {
        origin.file(
            name: fileName, type: mimeType, size: fileSize, thumbnailSizes: thumbnailSizes.values)
    }

    func copied() -> UploadableFileInfo {
        let copy = UploadableFileInfo(origin)
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
