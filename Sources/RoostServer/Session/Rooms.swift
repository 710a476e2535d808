// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Which connections are in which open channels.
///
/// A room is where a connection is, not what a user has: it ends with the connection, and clients enter
/// again when they come back (`docs/protocol` 2.7).
struct Rooms {
    private var inside: [ChannelURL: [SessionID]] = [:]
    private var places: [SessionID: [ChannelURL]] = [:]

    /// In the order they came.
    func sessions(in url: ChannelURL) -> [SessionID] { inside[url] ?? [] }

    func contains(_ id: SessionID, in url: ChannelURL) -> Bool {
        places[id]?.contains(url) ?? false
    }

    mutating func enter(_ id: SessionID, _ url: ChannelURL) {
        guard !contains(id, in: url) else { return }
        inside[url, default: []].append(id)
        places[id, default: []].append(url)
    }

    mutating func exit(_ id: SessionID, _ url: ChannelURL) {
        inside[url]?.removeAll { $0 == id }
        places[id]?.removeAll { $0 == url }
        if inside[url]?.isEmpty == true { inside[url] = nil }
        if places[id]?.isEmpty == true { places[id] = nil }
    }

    /// Takes a connection out of every room.
    ///
    /// - Returns: Where it was.
    mutating func exitAll(_ id: SessionID) -> [ChannelURL] {
        let urls = places[id] ?? []
        for url in urls { exit(id, url) }
        return urls
    }

    mutating func close(_ url: ChannelURL) {
        for id in sessions(in: url) { exit(id, url) }
    }
}
