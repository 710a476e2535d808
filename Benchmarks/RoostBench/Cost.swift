// SPDX-License-Identifier: Apache-2.0

/// The cost of an operation in microseconds: the wait, and the work of all threads, which does not
/// grow when other processes use the machine.
struct Cost {
    var wall = 0.0
    var processor = 0.0

    static func += (left: inout Cost, right: Cost) {
        left.wall += right.wall
        left.processor += right.processor
    }

    static func / (cost: Cost, count: Int) -> Cost {
        Cost(wall: cost.wall / Double(count), processor: cost.processor / Double(count))
    }
}

/// The costs of each side, one value per round.
struct Rounds {
    var ours: [Cost] = []
    var limit: [Cost] = []
    /// The costs of ours with an index of words.
    var oursSearching: [Cost] = []
    var limitSearching: [Cost] = []
    /// The costs of the peers, by their names.
    var peers = PeerTimes()

    /// Adds the costs of more rounds, those without an index of words.
    mutating func append(_ other: Rounds) {
        ours += other.ours
        limit += other.limit
        peers.append(other.peers)
    }
}

/// The names of the peers: other ways to keep a cache.
enum Peers {
    /// A row of JSON for each message (`RowsCache`).
    static let rows = "JSON rows"
    /// The basic cache in files (`FilesCache`).
    static let files = "files"
}

/// The microseconds of each peer, in the order of their first value.
struct PeerTimes {
    private var names: [String] = []
    private var times: [String: [Double]] = [:]

    mutating func append(_ microseconds: Double, of name: String) {
        if times[name] == nil { names.append(name) }
        times[name, default: []].append(microseconds)
    }

    mutating func append(_ other: PeerTimes) {
        for name in other.names {
            for time in other.times[name] ?? [] { append(time, of: name) }
        }
    }

    /// The median of each peer.
    var costs: [BenchReport.Peer] {
        names.map { BenchReport.Peer(name: $0, cost: (times[$0] ?? []).median) }
    }
}

extension [Cost] {
    var wall: [Double] { map(\.wall) }
    var processor: [Double] { map(\.processor) }
}

extension [Double] {
    /// The middle value; zero without values.
    var median: Double { quantile(0.5) }

    var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }

    func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
