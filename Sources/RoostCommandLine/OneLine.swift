// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

extension String {
    /// The text of another person on one line of the terminal, without commands for it.
    ///
    /// Line ends and control characters become spaces. Hidden characters are left out, and so are
    /// those that turn the direction of the text.
    package var onOneLine: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: text += " "
            default: if !scalar.isHidden { text.unicodeScalars.append(scalar) }
            }
        }
        return text
    }
}
