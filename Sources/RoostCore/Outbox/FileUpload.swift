// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// A file to upload.
package struct FileUpload: Equatable, Codable, Sendable {
    package let upload: UploadFile
    package let file: OutgoingFile
    /// The outbox's own copy of the file.
    package let copy: CopiedFile?
    /// The bytes of the message's files before this one; `total` counts all of them.
    package let before: Int64
    package let total: Int64

    package init(
        _ upload: UploadFile, of file: OutgoingFile, _ copy: CopiedFile?, before: Int64,
        total: Int64
    ) {
        self.upload = upload
        self.file = file
        self.copy = copy
        self.before = before
        self.total = total
    }
}
