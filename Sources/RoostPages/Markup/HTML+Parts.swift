// SPDX-License-Identifier: Apache-2.0

extension HTML {
    /// Makes a table whose rows turn into blocks on a narrow screen, each cell with its name.
    package static func table(
        _ names: [String], labelledBy title: String, _ rows: [[HTML]]
    ) -> HTML {
        .element(
            "div", [.kind("scroll"), .role("region"), .labelled(by: title), .tabIndex(0)],
            .element(
                "table", [.labelled(by: title)],
                .element(
                    "thead", [],
                    .element("tr", [], names.map { .element("th", [.scope("col")], .text($0)) })),
                .element(
                    "tbody", [],
                    rows.map { row in
                        .element(
                            "tr", [],
                            zip(names, row).map { name, cell in
                                .element("td", [.data(.name, name)], cell)
                            })
                    })))
    }
}

/// A number with its name.
enum Tile {
    static func html(_ number: String, _ name: String) -> HTML {
        .element(
            "li", [], .element("strong", [], .text(number)), " ", .element("span", [], .text(name)))
    }
}
