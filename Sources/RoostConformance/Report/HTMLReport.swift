// SPDX-License-Identifier: Apache-2.0

/// The results as one HTML page without outside resources and without scripts.
package enum HTMLReport {
    /// Writes the page.
    ///
    /// - Parameters:
    ///   - run: The results.
    ///   - date: The moment of the run, for people.
    /// - Returns: The page, whose texts of the server are escaped.
    package static func text(of run: RunResult, date: String) -> String {
        let titles = Dictionary(
            Catalogue.groups.map { ($0.name, $0.title) }, uniquingKeysWith: { first, _ in first })
        var body = [head(run, date: date)]
        var rest = run.results[...]
        while let group = rest.first?.group {
            let results = rest.prefix { $0.group == group }
            rest = rest.dropFirst(results.count)
            body.append("<h2>\(MarkupText.escaped(titles[group] ?? group))</h2>\n<table>")
            body += results.map(row)
            body.append("</table>")
        }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" \
            content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Conformance of \(MarkupText.escaped(run.server))</title>
            <style>
            \(style)
            </style>
            </head>
            <body>
            \(body.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    private static func head(_ run: RunResult, date: String) -> String {
        let verdict =
            run.checkedNothing
            ? "Nothing was checked" : run.isGood ? "All rules hold" : "Not all rules hold"
        let numbers = [
            ("holds", run.heldCount, "hold"), ("failed", run.failedCount, "failed"),
            ("skipped", run.skippedCount, "skipped"), ("skipped", run.notRunCount, "not run"),
        ]
        let tiles = numbers.map {
            "<li class=\"\($0.0)\"><strong>\($0.1)</strong> \($0.2)</li>"
        }
        let notes =
            [run.end].compactMap { $0 }
            + [
                run.leftovers.isEmpty
                    ? nil : "Left on the server: \(run.leftovers.joined(separator: ", "))"
            ].compactMap { $0 }
        return """
            <h1>\(verdict)</h1>
            <p>\(MarkupText.escaped(run.server)), application \(MarkupText.escaped(run.applicationID)), \
            \(MarkupText.escaped(date)), \(MarkupText.seconds(run.duration)) s</p>
            <ul>\(tiles.joined())</ul>
            \(notes.map { "<p class=\"note\">\(MarkupText.escaped($0))</p>" }.joined(separator: "\n"))
            """
    }

    private static func row(_ result: CheckResult) -> String {
        let check = result.check
        let (kind, word): (String, String) =
            switch result.outcome {
            case .holds: ("holds", "holds")
            case .failed: ("failed", "failed")
            case .skipped: ("skipped", "skipped")
            case .notRun: ("skipped", "not run")
            }
        var text = MarkupText.escaped(check.rule)
        switch result.outcome {
        case .holds, .notRun: break
        case .skipped(let reason): text += "<br><em>\(MarkupText.escaped(reason))</em>"
        case .failed(let expected, let seen, let transcript):
            text +=
                "<dl><dt>expected</dt><dd>\(MarkupText.escaped(expected))</dd>"
                + "<dt>seen</dt><dd>\(MarkupText.escaped(seen))</dd></dl>"
                + "<pre>\(MarkupText.escaped(transcript.joined(separator: "\n")))</pre>"
        }
        return "<tr class=\"\(kind)\"><td class=\"word\">\(word)</td>"
            + "<td><code>\(MarkupText.escaped(check.id))</code></td>"
            + "<td>\(MarkupText.escaped(check.section))</td><td>\(text)</td>"
            + "<td class=\"time\">\(MarkupText.seconds(result.duration)) s</td></tr>"
    }

    private static let style = """
        :root { color-scheme: light dark; --good: #1a7f37; --bad: #b3261e; --quiet: #6b7280;
          --line: #d9dce1; --back: #ffffff; --text: #16181d; }
        @media (prefers-color-scheme: dark) { :root { --good: #4ac26b; --bad: #ff7b72;
          --quiet: #9aa3af; --line: #30363d; --back: #0f1216; --text: #e6e8eb; } }
        body { font: 15px/1.5 system-ui, sans-serif; background: var(--back); color: var(--text);
          max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
        ul { list-style: none; display: flex; flex-wrap: wrap; gap: 1.5rem; padding: 0; }
        li strong { font-size: 1.6rem; }
        table { border-collapse: collapse; width: 100%; }
        td { border-top: 1px solid var(--line); padding: .35rem .6rem; vertical-align: top; }
        .word { font-weight: 600; white-space: nowrap; }
        .time { color: var(--quiet); text-align: right; white-space: nowrap; }
        .holds .word, li.holds strong { color: var(--good); }
        .failed .word, li.failed strong { color: var(--bad); }
        .skipped .word, li.skipped strong, em, .note { color: var(--quiet); }
        code, pre { font: 13px/1.45 ui-monospace, monospace; }
        pre, dd { overflow-wrap: anywhere; white-space: pre-wrap; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .8rem; }
        dt { color: var(--quiet); } dd { margin: 0; }
        """
}
