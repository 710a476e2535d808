// SPDX-License-Identifier: Apache-2.0

/// Text in columns of a terminal.
package enum Columns {
    /// The text in exactly `width` places: filled with spaces, or cut with `…` at the end.
    ///
    /// Counts characters, which is what names and the demo's texts need.
    package static func fit(_ text: String, to width: Int) -> String {
        if text.count <= width {
            return text + String(repeating: " ", count: width - text.count)
        }
        return width > 0 ? text.prefix(width - 1) + "…" : ""
    }
}
