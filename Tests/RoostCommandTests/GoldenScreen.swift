// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A screen of a terminal as a test compares it: times, days, paths and progress are masked.
///
/// The expected screens are the files in `Screens`. With the variable `ROOST_WRITE_SCREENS=1` the
/// stories write them anew instead of comparing them.
struct GoldenScreen: Equatable {
    static let isWriting = ProcessInfo.processInfo.environment["ROOST_WRITE_SCREENS"] != nil
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Screens")

    /// The lines of the screen, and one about its cursor.
    let lines: [String]

    /// Masks the parts of a screen that differ from run to run.
    init(masking lines: [String]) { self.lines = lines.map(Self.masked) }

    /// Reads the expected screen of a name; nil if it has none yet.
    init?(named name: String) {
        guard let text = try? String(contentsOf: Self.file(name), encoding: .utf8) else {
            return nil
        }
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            String($0)
        }
    }

    /// Makes this screen the expected one of a name.
    func write(named name: String) throws {
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: Self.file(name))
    }

    private static func file(_ name: String) -> URL { folder.appending(path: name + ".txt") }

    // MARK: Masks

    private static func masked(_ line: String) -> String {
        line.replacing(/\b\d\d:\d\d\b/, with: "hh:mm")
            .replacing(/\b\d{1,2} [A-Z][a-z]{2} hh:mm/, with: "day hh:mm")
            // The width of the line stays.
            .replacing(/─+ [A-Z][a-z]+day \d{1,2} [A-Z][a-z]+ \d{4} ─+/) { match in
                let rest = max(match.output.count - 9, 0)
                return String(repeating: "─", count: rest / 2) + " the day "
                    + String(repeating: "─", count: rest - rest / 2)
            }
            // The attempts to connect, which go on meanwhile, are as wide as their numbers.
            .replacing(
                /\s+[○◌] (?:offline(?:, again in \d+ s)?|connecting)( · \d+ waiting)?$/
            ) { match in " ○ offline" + (match.output.1 ?? "") }
            // The same without room for all of it.
            .replacing(/\s+[○◌] (?:offline|connecting)[ ,].*…$/, with: " ○ offline…")
            // The presence of people is read every 20 seconds.
            .replacing(/[●○] (ada|bo)\b/) { match in "◦ " + match.output.1 }
            // The places of holes depend on the seconds of the story.
            .replacing(/[█░]*░[█░]*/) { match in
                String(repeating: "▒", count: match.output.count)
            }
            .replacing(/[▰▱]+ \d+ %/, with: "▰▱ nn %")
            .replacing(/saved as \S*\//, with: "saved as FOLDER/")
            // A notice that goes by itself.
            .replacing(/─ Saved as .* ─/) { match in
                String(repeating: "─", count: match.output.count)
            }
    }

    // MARK: Differences

    /// Returns both screens side by side, with a sign at the lines that differ.
    func difference(from shown: GoldenScreen) -> String {
        let width = lines.map(Self.columns).max() ?? 0
        let rows = (0..<max(lines.count, shown.lines.count)).map { row in
            let sides = [lines, shown.lines].map { $0.indices.contains(row) ? $0[row] : nil }
            let left = sides[0] ?? ""
            let padding = String(repeating: " ", count: width - Self.columns(left))
            let sign = sides[0] == sides[1] ? "  " : "≠ "
            return sign + left + padding + " ┃ " + (sides[1] ?? "")
        }
        let title = "  expected" + String(repeating: " ", count: max(width - 8, 0)) + " ┃ shown"
        return ([title] + rows).joined(separator: "\n")
    }

    /// The columns of a line, near enough for a table.
    private static func columns(_ line: String) -> Int {
        line.reduce(0) { sum, character in
            let first = character.unicodeScalars.first?.value ?? 0
            let isWide = 0x1100...0x115F ~= first || 0x2E80...0xFF60 ~= first || first >= 0x1F300
            return sum + (isWide ? 2 : 1)
        }
    }

    /// The error about a screen that is not the expected one.
    struct Differs: Error, CustomStringConvertible {
        let name: String
        let difference: String
        var description: String {
            "the screen \(name).txt differs; ROOST_WRITE_SCREENS=1 writes all screens anew\n"
                + difference
        }
    }
}

extension TmuxScreen {
    /// Waits until the screen is the expected one of a name, or writes that.
    ///
    /// - Throws: Both screens side by side if the screen did not become the expected one.
    func shows(_ name: String) async throws {
        if GoldenScreen.isWriting {
            try await settled().write(named: name)
            return
        }
        guard let expected = GoldenScreen(named: name) else {
            throw GoldenScreen.Differs(name: name, difference: "There is no such file.")
        }
        var shown = GoldenScreen(masking: try await linesAndCursor())
        let end = ContinuousClock.now + Self.patience
        while shown != expected {
            guard ContinuousClock.now < end else {
                throw GoldenScreen.Differs(
                    name: name, difference: expected.difference(from: shown))
            }
            shown = GoldenScreen(masking: try await linesAndCursor())
        }
    }

    /// Returns the screen once it has been the same for some seconds.
    private func settled() async throws -> GoldenScreen {
        var screen = GoldenScreen(masking: try await linesAndCursor())
        var (since, begin) = (ContinuousClock.now, ContinuousClock.now)
        while ContinuousClock.now < since + .seconds(3) {
            let next = GoldenScreen(masking: try await linesAndCursor())
            if next != screen { (screen, since) = (next, .now) }
            guard ContinuousClock.now < begin + Self.patience else {
                throw NeverShown(
                    expected: "a screen at rest", screen: next.lines.joined(separator: "\n"))
            }
        }
        return screen
    }
}

struct GoldenScreenTests {
    @Test(arguments: [
        (" 10:01 Ada", " hh:mm Ada"), (" 1:01 Ada", " 1:01 Ada"),
        ("─── Friday 27 November 2026 ────", "─────────── the day ────────────"),
        ("ada  ○ ada    ○ offline, again in 3 s · 1 waiting", "ada  ◦ ada ○ offline · 1 waiting"),
        ("ada  ○ ada    ○ offline, again in…", "ada  ◦ ada ○ offline…"),
        ("ada  ● ada   ◌ connecting", "ada  ◦ ada ○ offline"), ("bo   ● online", "bo   ● online"),
        ("27 Nov 10:01 ada", "day hh:mm ada"),
        ("├██░░█┤ 1 hole", "├▒▒▒▒▒┤ 1 hole"), ("├█████┤ all", "├█████┤ all"),
        ("a.bin  ▰▰▱▱▱▱▱▱ 31 % sent", "a.bin  ▰▱ nn % sent"),
        ("a.bin  saved as /tmp/x-1/a (2).bin", "a.bin  saved as FOLDER/a (2).bin"),
        ("── Saved as /tmp/x-1/a (2).bin ──", "─────────────────────────────────"),
    ])
    func `a mask changes times, days, attempts, presence, holes, progress and folders only`(
        line: String, masked: String
    ) {
        #expect(GoldenScreen(masking: [line]).lines == [masked])
    }

    @Test func `a difference shows both screens, and marks the lines that differ`() {
        let (one, other) = (
            GoldenScreen(masking: ["same", "夜行 old"]),
            GoldenScreen(masking: ["same", "new", "more"])
        )
        #expect(
            one.difference(from: other) == """
                  expected ┃ shown
                  same     ┃ same
                ≠ 夜行 old ┃ new
                ≠          ┃ more
                """)
    }
}
