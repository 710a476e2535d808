// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

/// The networks of clients, by which limits tell clients apart.
///
/// An IPv4 client is its address. A client with IPv6 usually has a network of 2^64 addresses and
/// can use another one for each connection, so its name is that of the network.
package enum ClientNetwork {
    /// Returns the network of an address, such as `192.0.2.7` or `2001:db8:1:2::/64`.
    ///
    /// The address may have brackets and a port, as some proxies write it. A text that is no
    /// numeric address is its own network.
    package static func name(of address: String) -> String {
        let text = numeric(address)
        // SAFETY: the shim reads the text to its end, and ends its own text within the buffer.
        let network: String = unsafe withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: 64
        ) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            unsafe roost_uv_network_name(text, base, buffer.count)
            return unsafe String(cString: base)
        }
        return network.isEmpty ? address : network
    }

    /// Returns the network of a connection's peer; empty after a disconnect.
    static func name(ofPeerOf descriptor: CInt) -> String {
        // SAFETY: the shim ends the text within the buffer.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            unsafe roost_uv_peer_network(descriptor, base, buffer.count)
            return unsafe String(cString: base)
        }
    }

    /// Returns an address without brackets and port.
    private static func numeric(_ address: String) -> String {
        if address.hasPrefix("[") { return String(address.dropFirst().prefix { $0 != "]" }) }
        // An IPv6 address has two colons at least.
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : address
    }
}
