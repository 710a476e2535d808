// SPDX-License-Identifier: Apache-2.0

import RoostHost

/// The first output of a listening server; scripts read the first line, people the rest.
package struct ServeWelcome: Equatable, Sendable {
    /// The bound address or name.
    let host: String
    let port: Int
    let applicationID: String
    let requiresToken: Bool
    let isEncrypted: Bool
    /// The warning of a server that makes faults on purpose; nil without faults.
    let chaos: String?
    /// The token of the link to the pages, which works once; nil without pages.
    let pageToken: String?
    /// The address that clients use; nil for the bound one.
    let publicAddress: String?

    package init(
        host: String, port: Int, applicationID: String, requiresToken: Bool,
        isEncrypted: Bool = false, chaos: String? = nil, pageToken: String? = nil,
        publicAddress: String? = nil
    ) {
        self.host = host
        self.port = port
        self.applicationID = applicationID
        self.requiresToken = requiresToken
        self.isEncrypted = isEncrypted
        self.chaos = chaos
        self.pageToken = pageToken
        self.publicAddress = publicAddress
    }

    package var lines: [String] {
        let authority = Self.authority(host, port)
        // A server on all addresses is reached on this machine by the loopback address.
        let home = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        let token = requiresToken ? " --token-file FILE" : ""
        let (http, ws) = isEncrypted ? ("https", "wss") : ("http", "ws")
        // Otherwise a client refuses plain http over a network.
        let plain =
            isEncrypted || LoopbackAddress.contains(home) ? "" : " --allow-plain-transport"
        let place =
            "--server \(http)://\(Self.authority(home, port)) --app-id \(Self.quoted(applicationID))"
            + plain
        return [
            "listening on \(http)://\(authority) and \(ws)://\(authority)",
            "connect with: roost client \(place) --user ada\(token) --cache ./ada",
            "chat with: roost chat \(place) --user ada\(token) --cache ./ada --with bo",
            "and in another terminal: roost chat \(place) --user bo\(token) --cache ./bo",
        ] + (requiresToken ? [] : [Self.openDoor]) + [chaos].compactMap { $0 }
            + (pageToken.map { ["page, once: \(pageAddress(home, http))?link=\($0)"] } ?? [])
            + ["end with Ctrl-C"]
    }

    /// The cookie of a public address with https is not sent to another one.
    private func pageAddress(_ home: String, _ http: String) -> String {
        guard let publicAddress else { return "\(http)://\(Self.authority(home, port))/" }
        return publicAddress.hasSuffix("/") ? publicAddress : publicAddress + "/"
    }

    /// The line about a server without tokens.
    private static let openDoor =
        "no token is asked for: anyone who reaches this port may act as any user; --require-token ends that"

    private static func authority(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Returns the word in quotes for a shell.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        if isPlain, !word.isEmpty { return word }
        return "'"
            + word.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
