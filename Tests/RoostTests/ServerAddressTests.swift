// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

struct ServerAddressTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "ws://127.0.0.1:8080"),
        ("http://localhost:1/", "http://localhost:1", "ws://localhost:1"),
        ("http://[::1]:5", "http://[::1]:5", "ws://[::1]:5"),
        ("https://chat.example.org", "https://chat.example.org", "wss://chat.example.org"),
    ])
    func `an address gives both ends of the protocol`(
        text: String, http: String, webSocket: String
    ) throws {
        let address = try ServerAddress(text, allowsPlainTransport: false)
        #expect(address.http == http)
        #expect(address.webSocket == webSocket)
    }

    @Test(arguments: [
        "", "chat.example.org", "ftp://chat.example.org", "https://", "https://user@host",
        "https://host/path", "https://host?x", "https://ho st", "http://chat.example.org",
        "http://127.evil.example", "http://localhost.evil.example:80",
    ])
    func `an unusable address, or one that exposes messages to the network, is refused (scar 39)`(
        text: String
    ) {
        #expect {
            try ServerAddress(text, allowsPlainTransport: false)
        } throws: { error in
            (error as? RoostError)?.remedy == .correctInput
        }
    }

    @Test func `plain transport to another machine needs permission`() throws {
        #expect {
            try ServerAddress("http://10.0.0.7:80", allowsPlainTransport: false)
        } throws: { error in
            (error as? RoostError)?.message.contains("Configuration.allowsPlainTransport") == true
        }
        let address = try ServerAddress("http://10.0.0.7:80", allowsPlainTransport: true)
        #expect(address.webSocket == "ws://10.0.0.7:80")
    }
}
