// SPDX-License-Identifier: Apache-2.0

internal import RoostSockets

/// A whole page, as one file or from a server.
package struct PageDocument: Equatable, Sendable {
    package let title: String
    package let body: HTML
    /// The path of the parts that a live page asks for again and again; nil for a page at rest.
    package let view: OwnPath?

    package init(title: String, body: HTML, view: OwnPath? = nil) {
        self.title = title
        self.body = body
        self.view = view
    }

    /// Returns the page as one file, with style and script inside and nothing from outside.
    ///
    /// Its policy names both by their hashes, so that a browser runs no other script in it.
    package var file: String {
        document(
            policy: Self.policy(
                style: "'\(Self.hash(PageAssets.style))'",
                script: "'\(Self.hash(PageAssets.script))'",
                rest: "base-uri 'none'; form-action 'none'"),
            style: "<style>\(PageAssets.style)</style>",
            script: "<script>\(PageAssets.script)</script>")
    }

    /// Returns the page for a server, which has style and script at paths of their own.
    package var served: String {
        document(
            policy: nil,
            style: #"<link rel="stylesheet" href="\#(PageAssets.stylePath.text)">"#,
            script: #"<script src="\#(PageAssets.scriptPath.text)" defer></script>"#)
    }

    /// The policy of a served page: its own paths, and nothing of another site.
    package static let servedPolicy = policy(
        style: "'self'", script: "'self'",
        rest: "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")

    private static func policy(style: String, script: String, rest: String) -> String {
        "default-src 'none'; img-src data:; style-src \(style); script-src \(script); \(rest); "
            + "require-trusted-types-for 'script'; trusted-types 'none'"
    }

    /// Returns the hash of a text as a policy names it.
    static func hash(_ text: String) -> String {
        "sha256-" + Digest.base64(Digest.sha256(Array(text.utf8)))
    }

    private func document(policy: String?, style: String, script: String) -> String {
        let title = HTML.text(Escaping.cut(self.title, to: 120))
        let live = view.map { [Attribute.data(.view, $0.text)] } ?? []
        // The policy is a text of ours without a quotation mark.
        let meta = policy.map {
            #"<meta http-equiv="Content-Security-Policy" content="\#($0)">"# + "\n"
        }
        let status =
            view == nil
            ? HTML.nothing
            : .element(
                "p", [.kind("connection"), .role("status"), .data(.state, "live")], "live")
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            \(meta ?? "")<meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="same-origin">
            <link rel="icon" href="data:,">
            \(HTML.element("title", [], title).source)
            \(style)
            </head>
            <body>
            \(HTML.element("main", live, status, body).source)
            \(script)
            </body>
            </html>

            """
    }
}

/// The style and the script of all pages, as the repository has them.
package enum PageAssets {
    package static let style = String(decoding: PackageResources.page_css, as: UTF8.self)
    package static let script = String(decoding: PackageResources.page_js, as: UTF8.self)
    package static let stylePath = OwnPath("/page/page.css")
    package static let scriptPath = OwnPath("/page/page.js")
}
