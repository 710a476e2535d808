// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Names for the texts of a recording, which reveal nothing of the texts.
///
/// Equal texts have equal names, and names sort as their texts do. A machine that compares and
/// sorts names therefore decides as it did on the texts. The empty text stays empty.
package struct NamedContent: Sendable {
    private var numbers: [String: Int] = [:]

    /// Assigns a name to each text.
    init(_ texts: Set<String>) {
        let sorted = texts.subtracting([""]).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        for (index, text) in sorted.enumerated() { numbers[text] = index + 1 }
    }

    func number(of text: String) -> Int? { numbers[text] }

    /// Returns the name of a text; "~" for a text that no input has.
    func name(of text: String) -> String {
        if text.isEmpty { return "" }
        guard let number = numbers[text] else { return "~" }
        let digits = String(number)
        return "w" + String(repeating: "0", count: max(0, 7 - digits.count)) + digits
    }

    /// Returns the name of a text in a recording that was already named.
    static func nameAgain(_ text: String) -> String {
        let isName =
            text.utf8.first == UInt8(ascii: "w")
            && text.utf8.dropFirst().allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
        return text.isEmpty || isName && text.utf8.count > 1 ? text : "~"
    }
}
