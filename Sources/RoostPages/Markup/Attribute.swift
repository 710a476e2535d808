// SPDX-License-Identifier: Apache-2.0

internal import RoostWire

/// An attribute of an element.
///
/// There is none for a handler of events, a style or an address of another site.
package enum Attribute: Equatable, Sendable {
    /// The names of style rules.
    case kind(String)
    case id(String)
    /// A place on the same page.
    case place(of: String)
    /// A path of the same server.
    case path(OwnPath)
    case role(String)
    /// The name for a screen reader.
    case label(String)
    case labelled(by: String)
    case described(by: String)
    /// Whether a screen reader skips the element.
    case hidden
    /// Whether a screen reader reads out changes.
    case live
    case current(String)
    case pressed(Bool)
    case tabIndex(Int)
    case span(columns: Int)
    case scope(String)
    /// A value for the script of the page, by a name of ours.
    case data(DataName, String)
    // Forms.
    case type(String)
    case name(String)
    case value(String)
    case htmlFor(String)
    case method(String)
    case action(OwnPath)
    case autocomplete(String)
    case maximum(Int)
    case required
    case isOpen
    // Drawings.
    case viewBox(width: Double, height: Double)
    case stretches
    case x(Double)
    case y(Double)
    case width(Double)
    case height(Double)
    case x1(Double)
    case y1(Double)
    case x2(Double)
    case y2(Double)
    case points([(x: Double, y: Double)])
    case datetime(String)
    case metadata(name: String, content: String)
    case language(String)
    case charset

    /// A name of `data-`, which the script knows.
    package enum DataName: String, Sendable {
        case name, part, view, step, steps, go, chat, channel, user, state
    }

    package static func == (left: Attribute, right: Attribute) -> Bool {
        left.source == right.source
    }

    /// The attribute as in a tag, with the space before it.
    var source: String {
        switch self {
        case .kind(let names): Self.written("class", names)
        case .id(let id): Self.written("id", id)
        case .place(let id): Self.written("href", "#" + id)
        case .path(let path): Self.written("href", path.text)
        case .role(let role): Self.written("role", role)
        case .label(let text): Self.written("aria-label", text)
        case .labelled(let id): Self.written("aria-labelledby", id)
        case .described(let id): Self.written("aria-describedby", id)
        case .hidden: Self.written("aria-hidden", "true")
        case .live: Self.written("aria-live", "polite")
        case .current(let word): Self.written("aria-current", word)
        case .pressed(let isPressed): Self.written("aria-pressed", isPressed ? "true" : "false")
        case .tabIndex(let index): Self.written("tabindex", String(index))
        case .span(let columns): Self.written("colspan", String(columns))
        case .scope(let scope): Self.written("scope", scope)
        case .data(let name, let value): Self.written("data-" + name.rawValue, value, isValue: true)
        case .type(let type): Self.written("type", type)
        case .name(let name): Self.written("name", name)
        case .value(let value): Self.written("value", value, isValue: true)
        case .htmlFor(let id): Self.written("for", id)
        case .method(let method): Self.written("method", method)
        case .action(let path): Self.written("action", path.text)
        case .autocomplete(let word): Self.written("autocomplete", word)
        case .maximum(let count): Self.written("maxlength", String(count))
        case .required: " required"
        case .isOpen: " open"
        case .viewBox(let width, let height):
            Self.written("viewBox", "0 0 \(Self.number(width)) \(Self.number(height))")
        case .stretches: Self.written("preserveAspectRatio", "none")
        case .x(let value): Self.written("x", Self.number(value))
        case .y(let value): Self.written("y", Self.number(value))
        case .width(let value): Self.written("width", Self.number(value))
        case .height(let value): Self.written("height", Self.number(value))
        case .x1(let value): Self.written("x1", Self.number(value))
        case .y1(let value): Self.written("y1", Self.number(value))
        case .x2(let value): Self.written("x2", Self.number(value))
        case .y2(let value): Self.written("y2", Self.number(value))
        case .points(let points):
            Self.written(
                "points",
                points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
                    .joined(separator: " "))
        case .datetime(let text): Self.written("datetime", text)
        case .metadata(let name, let content):
            Self.written("name", name) + Self.written("content", content)
        case .language(let code): Self.written("lang", code)
        case .charset: Self.written("charset", "utf-8")
        }
    }

    private static func written(_ name: StaticString, _ value: String) -> String {
        written(name.description, value)
    }

    private static func written(
        _ name: String, _ value: String, isValue: Bool = false
    ) -> String {
        " \(name)=\"\(Escaping.escaped(value, isValue: isValue))\""
    }

    /// Returns a number with one decimal place at most.
    private static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "0" }
        let tenths = Int(exactly: (value * 10).rounded()) ?? 0
        let sign = tenths < 0 ? "-" : ""
        let (whole, tenth) = abs(tenths).quotientAndRemainder(dividingBy: 10)
        return tenth == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(tenth)"
    }
}

/// An address on the server of the page: a path, and names in its query.
package struct OwnPath: Equatable, Sendable {
    let text: String

    /// Makes an address.
    ///
    /// - Parameters:
    ///   - path: The path, which begins with `/`.
    ///   - query: The names and values of the query; each value is percent-encoded.
    package init(_ path: StaticString, _ query: [(name: StaticString, value: String)] = []) {
        let path = path.description
        precondition(path.hasPrefix("/") && !path.hasPrefix("//"), "An own path begins with one /.")
        let items = query.map { "\($0.name.description)=\(PercentEncoding.encode($0.value))" }
        text = items.isEmpty ? path : path + "?" + items.joined(separator: "&")
    }
}
