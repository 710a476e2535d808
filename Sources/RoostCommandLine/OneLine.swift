// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text of somebody else on one line of the terminal: without line ends, without commands
    /// for the terminal, and without characters that turn the direction of what follows.
    package var onOneLine: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: continue
            default: break
            }
            let isControl = scalar.properties.generalCategory == .control
            text.unicodeScalars.append(isControl ? " " : scalar)
        }
        return text
    }
}
