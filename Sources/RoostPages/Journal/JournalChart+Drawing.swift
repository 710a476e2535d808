// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

extension JournalChart {
    /// The chart with the controls that step through it.
    ///
    /// Each row is one arrow beside its text, so the text is the chart for a screen reader. The
    /// controls need the script of the page; without it all steps are shown.
    func section(_ prefix: String) -> HTML {
        let title = prefix + "journal-title"
        let heading = HTML.element("h2", [.id(title)], "Sync journal")
        guard let first = steps.first else {
            return heading + .element("p", [.kind("quiet")], "The journal has no input.")
        }
        let differing = steps.count { $0.replayed != nil }
        let difference =
            Measures.count(differing, "input") + " had other effects when replayed: replay the "
            + "journal with the release that wrote it. If that differs too, it was edited."
        return .joined([
            heading,
            .element(
                "p", [.kind("quiet")],
                "\(Measures.count(steps.count, "input")) of the engine with the effects that it decided on. Names "
                    + "stand for texts, users and channels.",
                omitted > 0 ? " \(omitted) older ones are left out." : .nothing),
            differing > 0
                ? .element("p", [.kind("note bad")], .text(difference)) : .nothing,
            controls,
            .element(
                "div", [.kind("lanes"), .hidden],
                JournalLane.allCases.map { .element("span", [], .text($0.name)) }),
            .element(
                "ol",
                [
                    .kind("steps"), .data(.steps, prefix + "steps"), .id(prefix + "steps"),
                    .labelled(by: title), .tabIndex(0),
                ],
                steps.map { $0.row(since: first.at, prefix) }),
        ])
    }

    private var controls: HTML {
        .element(
            "div", [.kind("controls"), .role("group"), .label("Step through the journal")],
            Self.button("first", "First step", "First"),
            Self.button("back", "Previous step", "Back"),
            Self.button("next", "Next step", "Next"), Self.button("all", "Show all steps", "All"),
            .element("output", [.live, .data(.state, "step")], "All steps are shown."))
    }

    private static func button(_ name: String, _ label: String, _ text: String) -> HTML {
        .element(
            "button", [.type("button"), .data(.go, name), .label(label)], .text(text))
    }
}

extension JournalChart.Step {
    fileprivate func row(since start: Timestamp, _ prefix: String) -> HTML {
        let source = JournalWords(input: input)
        let other = replayed.map { effects in
            HTML.element("p", [.kind("bad")], "Replayed with other effects:")
                + .joined(effects.map { Self.line($0, outgoing: JournalWords(effect: $0)) })
        }
        return .element(
            "li", [.data(.step, String(number)), .id("\(prefix)step-\(number)")],
            .element(
                "p", [.kind("when")], .element("b", [], "\(number)"),
                " \(Self.offset(at.milliseconds(since: start)))"),
            Self.line(input, incoming: source),
            .joined(effects.map { Self.line($0, outgoing: JournalWords(effect: $0)) }),
            other ?? .nothing)
    }

    private static func line(_ text: String, incoming words: JournalWords) -> HTML {
        line(text, words.arrow, from: words.lane, to: .engine)
    }

    private static func line(_ text: String, outgoing words: JournalWords) -> HTML {
        line(text, words.arrow, from: .engine, to: words.lane)
    }

    private static func line(
        _ text: String, _ arrow: JournalArrow, from: JournalLane, to: JournalLane
    ) -> HTML {
        let path = from == to ? "\(to.name)" : "\(from.name) to \(to.name)"
        return .element(
            "div", [.kind("event \(arrow.rawValue)")], drawing(from: from, to: to),
            .element(
                "p", [], .element("span", [.kind("tag")], "\(path), \(arrow.word)"), " ",
                .element("code", [], .quoted(text, limit: 600))))
    }

    /// The arrow; hidden from screen readers, which read its text.
    private static func drawing(from: JournalLane, to: JournalLane) -> HTML {
        let start = from.x
        // An input from the engine itself has no way to go.
        let end = from == to ? start + 60 : to.x
        let tip = end > start ? end - 36 : end + 36
        return .element(
            "svg", [.kind("arrow"), .viewBox(width: 1_000, height: 24), .stretches, .hidden],
            .element("line", [.x1(start), .y1(12), .x2(end), .y2(12)]),
            .element("polygon", [.points([(end, 12), (tip, 5), (tip, 19)])]))
    }

    private static func offset(_ milliseconds: Int64) -> String {
        let (sign, size) = (milliseconds < 0 ? "-" : "+", milliseconds.magnitude)
        let rest = String(size % 1_000)
        return "\(sign)\(size / 1_000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
            + " s"
    }
}
