// SPDX-License-Identifier: Apache-2.0

/// What came in a form: its texts, and where its files were put.
package struct ReceivedForm: Hashable, Sendable {
    package struct File: Hashable, Sendable {
        /// The name of the form's part.
        package var part: String
        package var fileName: String
        /// The name under which it lies, not yet for anybody to see.
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
    /// Whether its body is a form.
    package var isForm: Bool { Self.isForm(contentType) }

    package static func isForm(_ contentType: String) -> Bool {
        contentType.lowercased().hasPrefix("multipart/form-data")
    }
}
