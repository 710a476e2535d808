// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import Testing

struct ClientNetworkTests {
    static let rows: [(address: String, network: String)] = [
        ("192.0.2.7", "192.0.2.7"), ("192.0.2.7:4711", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"), ("[::ffff:192.0.2.7]:4711", "192.0.2.7"),
        ("64:ff9b::c000:207", "192.0.2.7"), ("::1", "::1"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::1]:4711", "2001:db8:1:2::/64"), ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"), ("unknown", "unknown"), ("", ""), ("[", "["),
        ("_hidden:x", "_hidden:x"),
    ]

    @Test(arguments: rows)
    func `an IPv6 client is counted by its network, an IPv4 client by its address`(
        _ row: (address: String, network: String)
    ) {
        #expect(ClientNetwork.name(of: row.address) == row.network)
    }
}
