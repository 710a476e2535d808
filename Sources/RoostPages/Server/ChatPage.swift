// SPDX-License-Identifier: Apache-2.0

/// The pages with a form: the try-out chat, and the way in.
package enum ServerForm {
    /// Returns the page on which a person chats as a user, through the server's own protocol.
    ///
    /// The script of the page opens the socket; the page itself has no message.
    package static func chat(
        application: String, user: String, channel: String, asksForToken: Bool
    ) -> PageDocument {
        PageDocument(
            title: "Try it out",
            body: .joined([
                ServerPlace.navigation(.chat), .element("h1", [], "Try it out"),
                .element(
                    "p", [.kind("quiet")],
                    "Opens a socket as the user and sends what is typed. The user and a new group channel are made if "
                        + "they are missing."),
                .element(
                    "form", [.kind("fields"), .data(.chat, application), .id("chat")],
                    field("chat-user", "User", user, isRequired: true),
                    field("chat-channel", "Channel", channel, isRequired: true),
                    asksForToken
                        ? field("chat-token", "Access token", "", isSecret: true) : .nothing,
                    .element("button", [.type("submit"), .kind("primary")], "Connect")),
                .element(
                    "p", [.role("status"), .data(.state, "chat")], "Not connected."),
                .element(
                    "ol",
                    [.kind("log"), .id("chat-log"), .role("log"), .label("Messages"), .tabIndex(0)]),
                .element(
                    "form", [.kind("fields"), .id("chat-say")],
                    field("chat-text", "Message", "", isRequired: true),
                    .element("button", [.type("submit"), .kind("primary")], "Send")),
            ]))
    }

    /// Returns the page for a stranger: it says nothing about the server.
    package static func login(isWrong: Bool = false) -> PageDocument {
        PageDocument(
            title: "Roost",
            body: .joined([
                .element("h1", [], "Roost"),
                .element(
                    "p", [],
                    "This page opens with the link that the server printed at its start, which "
                        + "works once, or with the API token."),
                isWrong
                    ? .element("p", [.kind("note bad"), .role("alert")], "The token is wrong.")
                    : .nothing,
                .element(
                    "form", [.kind("fields"), .method("post"), .action(OwnPath("/page/login"))],
                    field("token", "API token", "", isRequired: true, isSecret: true),
                    .element("button", [.type("submit"), .kind("primary")], "Open")),
            ]))
    }

    private static func field(
        _ id: String, _ label: String, _ value: String, isRequired: Bool = false,
        isSecret: Bool = false
    ) -> HTML {
        .element(
            "p", [], .element("label", [.htmlFor(id)], .text(label)),
            .element(
                "input",
                [
                    .id(id), .name(id), .value(value), .type(isSecret ? "password" : "text"),
                    .autocomplete("off"),
                ] + (isRequired ? [.required] : [])))
    }
}
