// SPDX-License-Identifier: Apache-2.0

import RoostPages
import Testing

struct HTMLTests {
    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        (#"" onload="x"#, "&quot; onload=&quot;x"),
        ("it's `so` & more", "it&#39;s &#96;so&#96; &amp; more"),
        ("plain, ünïcode 🙂", "plain, ünïcode 🙂"), ("a\nb\tc", "a\nb\tc"),
        ("abc\u{202E}fdp.exe", "abc[U+202E]fdp.exe"), ("a\u{0}b\u{7F}", "a[U+0000]b[U+007F]"),
        ("a\u{2066}b\u{2069}\u{200B}\u{FEFF}", "a[U+2066]b[U+2069][U+200B][U+FEFF]"),
    ])
    func `a text has no character with a meaning for HTML`(text: String, escaped: String) {
        #expect(HTML.text(text).source == escaped)
        #expect(HTML.element("p", [.label(text)]).source == "<p aria-label=\"\(escaped)\"></p>")
    }

    @Test func `each of the characters of markup is escaped, in every place`() {
        for scalar in (0..<0x3000).compactMap({ Unicode.Scalar($0) }) {
            let text = String(Character(scalar))
            let source = HTML.text(text).source
            // By bytes: some characters of other scripts equal a sign of markup otherwise.
            #expect(!source.utf8.contains { "<>\"'`".utf8.contains($0) })
            #expect(source.first != "&" || source.hasSuffix(";"))
            #expect(HTML.text(source).source.replacing("&amp;", with: "&") == source)
        }
    }

    @Test func `a value that the browser hands back keeps its invisible characters`() {
        let user = "علي\u{200F}"
        #expect(
            HTML.element("input", [.value(user)]).source == "<input value=\"علي&#8207;\">")
        #expect(
            HTML.element("p", [.data(.chat, "a\u{AD}b\u{7F}<")]).source
                == "<p data-chat=\"a&#173;b[U+007F]&lt;\"></p>")
    }

    @Test func `a text of others is isolated and cut, with the number of what is missing`() {
        let quoted = HTML.quoted(String(repeating: "x", count: 65_536), limit: 10)
        #expect(quoted.source == #"<bdi class="quoted">xxxxxxxxxx… (65526 more)</bdi>"#)
        #expect(HTML.quoted("xx", limit: 2).source == #"<bdi class="quoted">xx</bdi>"#)
        // One character can have any number of marks.
        let marks = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(HTML.quoted(marks, limit: 10).source.unicodeScalars.count < 60)
    }

    @Test func `an interpolated text is escaped like every other`() {
        let name = "<b>"
        let html: HTML = "hello \(name)"
        #expect(html.source == "hello &lt;b&gt;")
    }

    @Test func `elements nest, and those without an end tag have no content`() {
        let html = HTML.element("ul", [], .element("li", [.id("a")], "x"), .element("br", [], "y"))
        #expect(html.source == #"<ul><li id="a">x</li><br></ul>"#)
    }

    @Test func `an address leads nowhere but to the same server`() {
        let path = OwnPath("/page/log", [("channel", "a&b=c#\"<javascript:")])
        let html = HTML.element("a", [.path(path)], "x").source
        #expect(html == #"<a href="/page/log?channel=a%26b%3Dc%23%22%3Cjavascript%3A">x</a>"#)
        #expect(
            HTML.element("a", [.place(of: "javascript:x")]).source
                == "<a href=\"#javascript:x\"></a>")
    }

    @Test(arguments: [
        (0.0, "0"), (12.34, "12.3"), (-0.55, "-0.6"), (.nan, "0"), (.infinity, "0"), (1e300, "0"),
    ])
    func `a number of a drawing is a number`(number: Double, text: String) {
        #expect(HTML.element("rect", [.x(number)]).source == "<rect x=\"\(text)\"></rect>")
    }
}
