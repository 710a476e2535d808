// SPDX-License-Identifier: Apache-2.0

/// Text in columns of a terminal.
package enum Columns {
    /// Returns the text in exactly `width` characters: filled with spaces, or cut with `…` at the
    /// end.
    package static func fit(_ text: String, to width: Int) -> String {
        if text.count <= width {
            return text + String(repeating: " ", count: width - text.count)
        }
        return width > 0 ? text.prefix(width - 1) + "…" : ""
    }
}
