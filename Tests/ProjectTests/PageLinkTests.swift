// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The check of the Markdown pages' links; `scripts/site` checks those of the whole site.
struct PageLinkTests {
    @Test func `every link of the Markdown pages leads to a file or a heading`() async throws {
        let script = Project.root.appending(path: "scripts/site").path
        let process = try ChildProcess("/usr/bin/env", ["python3", script, "--pages-only"])
        let lines = await process.lines()
        let ending = await process.end()
        #expect(ending == .exited(0), "\(lines.joined(separator: "\n"))")
        #expect(lines == ["site: every link of the Markdown pages leads somewhere"])
    }

    /// Returns the complaints about made-up pages.
    private func complaints(about pages: [String: String]) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in pages {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let program = """
            import pathlib, sys
            sys.path.insert(0, sys.argv[1])
            import markdown
            print(*markdown.broken_links(pathlib.Path(sys.argv[2]).resolve()), sep="\\n")
            """
        let library = Project.root.appending(path: "scripts/lib").path
        let process = try ChildProcess(
            "/usr/bin/env", ["python3", "-B", "-c", program, library, folder.path])
        let lines = await process.lines()
        #expect(await process.end() == .exited(0), "\(lines.joined(separator: "\n"))")
        return lines.filter { !$0.isEmpty }
    }

    @Test(arguments: [
        ("[a](none.md)", "none.md does not exist"),
        ("[a](b.md#none)", "b.md#none names no heading"),
        ("[a](doc:/Handbook/guide)", "doc:/Handbook/guide does not exist"),
        (
            "[a](b.md \"B\")",
            "]( is a link of an unknown form: write [words](target)"
        ),
        ("[a]: b.md", "[a]: is a definition: write the target behind the words"),
        ("<img src=\"none.png\">", "<img is a link in HTML: write [words](target)"),
        // A shorter fence, one of the other kind and one with words close nothing.
        ("````\n```\n````\n[a](none.md)", "none.md does not exist"),
        ("~~~\n```\n~~~\n[a](none.md)", "none.md does not exist"),
        ("```\n``` swift\n```\n[a](none.md)", "none.md does not exist"),
    ])
    func `a link that leads nowhere or cannot be read is found`(
        text: String, complaint: String
    ) async throws {
        let found = try await complaints(about: ["a.md": "[b](b.md)\n\(text)\n", "b.md": "# B\n"])
        let line = text.split(separator: "\n").count + 1
        #expect(found == ["a.md:\(line): \(complaint)"])
    }

    @Test func `code and addresses are no links of a page`() async throws {
        let text = """
            [b](b.md#b), [c](https://example.org/c), [d](mailto:d@example.org), `[e](none.md)`
            ````
            ```
            [f](none.md) <a href="none">
            ````
            """
        #expect(try await complaints(about: ["a.md": text, "b.md": "# B\n"]).isEmpty)
    }
}
