// SPDX-License-Identifier: Apache-2.0

extension Span where Element == UInt8 {
    /// Copies the bytes in `range` to a text; invalid UTF-8 becomes U+FFFD.
    package func text(in range: Range<Int>) -> String {
        let bytes = extracting(range)
        // SAFETY: the span is alive during the call, and the text is a copy.
        return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
