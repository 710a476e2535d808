// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The lists of a server that its operator looks into.
package enum DirectoryPage {
    package struct User: Equatable, Sendable {
        package let id: String
        package let nickname: String
        package let isOnline: Bool
        package let isActive: Bool

        package init(id: String, nickname: String, isOnline: Bool, isActive: Bool) {
            self.id = id
            self.nickname = nickname
            self.isOnline = isOnline
            self.isActive = isActive
        }
    }

    package struct Channel: Equatable, Sendable {
        package let url: String
        package let name: String
        package let members: Int
        package let isOpen: Bool
        package let createdAt: Timestamp?

        package init(url: String, name: String, members: Int, isOpen: Bool, createdAt: Timestamp?) {
            self.url = url
            self.name = name
            self.members = members
            self.isOpen = isOpen
            self.createdAt = createdAt
        }
    }

    /// A message in a channel's log, deleted ones included.
    package struct Entry: Equatable, Sendable {
        package let id: Int64
        package let at: Timestamp
        package let sender: String?
        package let kind: String
        package let text: String
        package let editedAt: Timestamp?
        package let deletedAt: Timestamp?

        package init(
            id: Int64, at: Timestamp, sender: String?, kind: String, text: String,
            editedAt: Timestamp?, deletedAt: Timestamp?
        ) {
            self.id = id
            self.at = at
            self.sender = sender
            self.kind = kind
            self.text = text
            self.editedAt = editedAt
            self.deletedAt = deletedAt
        }
    }

    /// Returns a page of users; `next` names the page behind it.
    package static func users(_ users: [User], next: String?) -> PageDocument {
        document(
            "Users", .users,
            users.isEmpty
                ? .element("p", [.kind("quiet")], "There is no user.")
                : .table(
                    ["User", "Nickname", "State", "Try it out"], labelledBy: "list-title",
                    users.map { user in
                        [
                            .quoted(user.id, limit: 80), .quoted(user.nickname, limit: 80),
                            user.isActive ? (user.isOnline ? "online" : "offline") : "deactivated",
                            .element(
                                "a", [.path(OwnPath("/page/chat", [("user", user.id)]))],
                                "Chat as ", .quoted(user.id, limit: 40)),
                        ]
                    }), more: next.map { OwnPath("/page/users", [("token", $0)]) })
    }

    /// Returns a page of channels.
    package static func channels(_ channels: [Channel], next: String?, areOpen: Bool)
        -> PageDocument
    {
        let other =
            areOpen ? OwnPath("/page/channels") : OwnPath("/page/channels", [("type", "open")])
        let link = HTML.element(
            "p", [],
            .element("a", [.path(other)], areOpen ? "Show group channels" : "Show open channels"))
        let kind = areOpen ? [("type" as StaticString, "open")] : []
        return document(
            areOpen ? "Open channels" : "Group channels", .channels,
            link
                + (channels.isEmpty
                    ? .element("p", [.kind("quiet")], "There is no channel of this kind.")
                    : .table(
                        ["Channel", "Name", areOpen ? "Present" : "Members", "Made (UTC)"],
                        labelledBy: "list-title",
                        channels.map { channel in
                            [
                                .element(
                                    "a", [.path(OwnPath("/page/log", [("channel", channel.url)]))],
                                    .quoted(channel.url, limit: 120)),
                                .quoted(channel.name, limit: 120), "\(channel.members)",
                                channel.createdAt.map { .text(UTCDate.text($0)) } ?? .nothing,
                            ]
                        })),
            more: next.map { OwnPath("/page/channels", [("token", $0)] + kind) })
    }

    /// Returns a page of a channel's log, newest first.
    package static func log(
        of channel: String, _ entries: [Entry], before: (at: Int64, id: Int64)?
    ) -> PageDocument {
        let body =
            entries.isEmpty
            ? HTML.element("p", [.kind("quiet")], "The log has no message here.")
            : .table(
                ["Message", "Stored (UTC)", "Sender", "State", "Text"], labelledBy: "list-title",
                entries.map { entry in
                    [
                        "\(entry.id)", .text(UTCDate.text(entry.at)),
                        entry.sender.map { .quoted($0, limit: 80) }
                            ?? .element("span", [.kind("quiet")], "administrator"),
                        entry.state, .quoted(entry.text, limit: 1_000),
                    ]
                })
        return PageDocument(
            title: "Log of \(channel)",
            body: ServerPlace.navigation(nil)
                + .element("h1", [.id("list-title")], "Log of ", .quoted(channel, limit: 120))
                + .element(
                    "p", [.kind("quiet")],
                    "Newest first. The log has the present text of an edited message and none of a deleted one."
                )
                + body
                + more(
                    before.map {
                        OwnPath(
                            "/page/log",
                            [("channel", channel), ("at", String($0.at)), ("id", String($0.id))])
                    }, "Older messages"))
    }

    private static func document(
        _ title: String, _ place: ServerPlace, _ body: HTML, more next: OwnPath?
    ) -> PageDocument {
        PageDocument(
            title: title,
            body: ServerPlace.navigation(place) + .element("h1", [.id("list-title")], .text(title))
                + body + more(next, "More"))
    }

    private static func more(_ path: OwnPath?, _ words: String) -> HTML {
        path.map { .element("p", [], .element("a", [.path($0)], .text(words))) } ?? .nothing
    }
}

extension DirectoryPage.Entry {
    fileprivate var state: HTML {
        if let deletedAt {
            return .element("span", [.kind("bad")], "deleted \(UTCDate.text(deletedAt))")
        }
        if let editedAt {
            return .element("span", [.kind("waiting")], "edited \(UTCDate.text(editedAt))")
        }
        return .text(kind)
    }
}
