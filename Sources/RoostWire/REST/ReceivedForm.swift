// SPDX-License-Identifier: Apache-2.0

/// A received form: its texts, and the places of its files.
package struct ReceivedForm: Equatable, Sendable {
    package struct File: Equatable, Sendable {
        /// The name of the part.
        package var part: String
        package var fileName: String
        /// The identifier of the stored file, which is not public yet.
        package var id: String
        package var byteCount: Int

        package init(part: String, fileName: String, id: String, byteCount: Int) {
            self.part = part
            self.fileName = fileName
            self.id = id
            self.byteCount = byteCount
        }
    }

    package var texts: [QueryItem] = []
    package var files: [File] = []

    package init() {}
}

extension APIRequest {
    /// Whether the body is a form.
    package var isForm: Bool { Self.isForm(contentType) }

    package static func isForm(_ contentType: String) -> Bool {
        contentType.lowercased().hasPrefix("multipart/form-data")
    }
}
