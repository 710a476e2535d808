// SPDX-License-Identifier: Apache-2.0

package import RoostSockets
internal import RoostWire

extension HTTPServerResponse {
    /// The headers that keep a page to itself.
    ///
    /// With a referrer of its own origin the form's request names that origin, and not `null`.
    private static let pageHeaders: HTTPHeaders = [
        "Content-Security-Policy": PageDocument.servedPolicy,
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
    ]

    private init(page status: Int, type: String, _ text: String) {
        var headers = Self.pageHeaders
        headers.append("Content-Type", type)
        self.init(status: status, headers: headers, body: Array(text.utf8))
    }

    /// Answers with a whole page.
    package static func page(_ document: PageDocument, status: Int = 200) -> HTTPServerResponse {
        HTTPServerResponse(page: status, type: "text/html; charset=utf-8", document.served)
    }

    /// Answers with the parts of a live page; without them if the page has them already.
    package static func parts(_ parts: HTML, for request: HTTPServerRequest) -> HTTPServerResponse {
        let tag = "\"" + Digest.sha256(parts.source).prefix(32) + "\""
        let isKnown = request.headers["If-None-Match"] == tag
        var answer = HTTPServerResponse(
            page: isKnown ? 304 : 200, type: "text/html; charset=utf-8",
            isKnown ? "" : "<!doctype html><html lang=\"en\"><title>parts</title>" + parts.source)
        answer.headers.append("ETag", tag)
        return answer
    }

    /// Answers with the style or the script of a page; nil for another path.
    package static func asset(at path: String) -> HTTPServerResponse? {
        switch path {
        case PageAssets.stylePath.text:
            HTTPServerResponse(page: 200, type: "text/css; charset=utf-8", PageAssets.style)
        case PageAssets.scriptPath.text:
            HTTPServerResponse(page: 200, type: "text/javascript; charset=utf-8", PageAssets.script)
        default: nil
        }
    }

    /// Leads a browser to a page by a request of its own.
    package static func seeOther(_ path: OwnPath, cookie: String? = nil) -> HTTPServerResponse {
        var answer = HTTPServerResponse(page: 303, type: "text/plain; charset=utf-8", "")
        answer.headers.append("Location", path.text)
        if let cookie { answer.headers.append("Set-Cookie", cookie) }
        return answer
    }

    /// Refuses a request with a sentence of ours, and nothing about the content.
    package static func refusedPage(_ status: Int, _ sentence: String) -> HTTPServerResponse {
        .page(
            PageDocument(
                title: "Roost",
                body: .element("h1", [], "Roost") + .element("p", [], .text(sentence))),
            status: status)
    }
}

extension HTTPServerRequest {
    /// The path without the query.
    package var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// Returns the decoded value of a name in the query; nil if it is absent.
    package func query(_ name: String) -> String? {
        guard let start = target.firstIndex(of: "?") else { return nil }
        return Self.formValue(name, in: target[target.index(after: start)...])
    }

    /// Returns the decoded value of a name in a query or a form.
    package static func formValue(_ name: String, in text: some StringProtocol) -> String? {
        QueryItem.parse(text).first { $0.name == name }?.value
    }
}
