// SPDX-License-Identifier: Apache-2.0

/// Text for XML and HTML that cannot become markup.
enum MarkupText {
    /// Returns a text for content and for values in double quotes.
    ///
    /// Characters that XML does not allow are replaced, because no escape makes them valid.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n": escaped += "&#10;"
            case "\t": escaped += "&#9;"
            case _ where scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value:
                escaped += "\u{FFFD}"
            case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns a duration in seconds with three digits behind the point.
    static func seconds(_ duration: Duration) -> String {
        let milliseconds = max(0, duration / .milliseconds(1))
        // A run of years would not fit; none lasts so long.
        let whole = Int64(exactly: milliseconds.rounded()) ?? .max
        let rest = String(whole % 1_000)
        return "\(whole / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }
}
