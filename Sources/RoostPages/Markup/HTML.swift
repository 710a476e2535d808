// SPDX-License-Identifier: Apache-2.0

// Markup that cannot hold unescaped text.
//
// A value of `HTML` is made of elements and of escaped text, and of nothing else: no initializer
// takes a string as markup. Names of elements are literals of the source, names of attributes are
// cases, and the value of every attribute is escaped. A script, a style or an address of another
// site has no place in it.

/// A fragment of a page.
package struct HTML: Equatable, Sendable {
    /// The markup.
    package private(set) var source: String

    private init(source: String) { self.source = source }

    /// No markup.
    package static let nothing = HTML(source: "")

    /// Makes a text of ours, such as a label.
    package static func text(_ text: String) -> HTML { HTML(source: Escaping.escaped(text)) }

    /// Makes a text of others, such as a message or a name.
    ///
    /// It is isolated from the direction of the text around it, and cut behind a number of
    /// characters, because a page is for people.
    package static func quoted(_ text: String, limit: Int = 400) -> HTML {
        .element("bdi", [.kind("quoted")], .text(Escaping.cut(text, to: limit)))
    }

    /// Makes an element.
    package static func element(
        _ name: ElementName, _ attributes: [Attribute] = [], _ children: HTML...
    ) -> HTML {
        .element(name, attributes, children)
    }

    package static func element(
        _ name: ElementName, _ attributes: [Attribute] = [], _ children: [HTML]
    ) -> HTML {
        var source = "<\(name.text)"
        for attribute in attributes { source += attribute.source }
        source += ">"
        // An element without an end tag has no content either.
        guard !name.isVoid else { return HTML(source: source) }
        for child in children { source += child.source }
        return HTML(source: source + "</\(name.text)>")
    }

    package static func + (left: HTML, right: HTML) -> HTML {
        HTML(source: left.source + right.source)
    }

    /// Joins fragments.
    package static func joined(_ parts: [HTML]) -> HTML {
        HTML(source: parts.reduce(into: "") { $0 += $1.source })
    }
}

extension HTML: ExpressibleByStringInterpolation {
    /// Makes a text of ours; it is escaped like every other.
    package init(stringLiteral text: String) { self = .text(text) }
}

/// The name of an element, which only a literal of the source can be.
package struct ElementName: Sendable, ExpressibleByStringLiteral {
    let text: String

    package init(stringLiteral literal: StaticString) {
        text = literal.description
        precondition(
            !["script", "style", "iframe", "object", "embed", "base"].contains(text),
            "A page has no element \(text) of its own.")
    }

    var isVoid: Bool { ["br", "hr", "input", "meta", "link"].contains(text) }
}
