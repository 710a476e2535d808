// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import Testing

struct OneLineTests {
    @Test(arguments: [
        ("one\ntwo\r", "one two "), ("\u{1B}[2J", " [2J"), ("a\u{2028}b\u{85}c", "a b c"),
        ("\u{202E}gpj.exe", "gpj.exe"), ("x\u{200B}y\u{FEFF}z", "xyz"), ("\u{E0041}tag", "tag"),
        ("👩\u{200D}👧 مي\u{200C}خواهم", "👩\u{200D}👧 مي\u{200C}خواهم"),
    ])
    func `a stranger's text has one line and no hidden characters`(text: String, line: String) {
        #expect(text.onOneLine.unicodeScalars.elementsEqual(line.unicodeScalars))
    }
}
