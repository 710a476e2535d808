// SPDX-License-Identifier: Apache-2.0

/// The part of a message's text by which the bench knows the message again.
struct LoadMark: Hashable {
    let request: String
    /// The microseconds of the system's clock at the sending.
    let sentAt: Double
    /// The number of the sender's host.
    let host: Int

    private static let separator = UInt8(ascii: "#")

    /// The text; it has no character that JSON escapes.
    var text: String { "#\(request)#\(Int64(sentAt))#\(host)#" }

    init(request: String, sentAt: Double, host: Int) {
        (self.request, self.sentAt, self.host) = (request, sentAt.rounded(.down), host)
    }

    /// Finds the first mark of a frame; nil without one.
    init?(in frame: String) {
        guard let start = frame.utf8.firstIndex(of: Self.separator) else { return nil }
        let parts = frame.utf8[start...].split(
            separator: Self.separator, maxSplits: 3, omittingEmptySubsequences: true)
        guard parts.count >= 3, let sentAt = Double(Substring(parts[1])),
            let host = Int(Substring(parts[2]))
        else { return nil }
        self.init(request: String(Substring(parts[0])), sentAt: sentAt, host: host)
    }

    /// Returns the requests of all marks of a page.
    static func requests(in page: [UInt8]) -> [String] {
        let parts = page.split(separator: separator, omittingEmptySubsequences: false)
        // Three parts of a mark, then the text up to the next one.
        return stride(from: 1, to: max(1, parts.count - 2), by: 4).map {
            String(decoding: parts[$0], as: UTF8.self)
        }
    }
}

/// The request that a frame answers.
enum LoadAnswer {
    /// Returns the request of an acknowledgement; nil for another member's message.
    ///
    /// The field stands directly behind the message's number.
    static func acknowledged(by frame: String) -> String? {
        guard frame.hasPrefix(#"MESG{"msg_id":"#) else { return nil }
        let rest = frame.utf8.dropFirst(14).drop { (0x30...0x39).contains($0) }
        let name = #","req_id":""#
        guard rest.starts(with: name.utf8) else { return nil }
        return text(rest.dropFirst(name.utf8.count))
    }

    /// Returns the request of a refusal; nil for another frame.
    static func refused(by frame: String) -> String? {
        let head = #"EROR{"req_id":""#
        guard frame.hasPrefix(head) else { return nil }
        return text(frame.utf8.dropFirst(head.utf8.count))
    }

    private static func text(_ rest: Substring.UTF8View) -> String {
        String(Substring(rest.prefix { $0 != UInt8(ascii: "\"") }))
    }
}

/// The users and channels of a load; members are spread over all hosts.
struct LoadWorld: Hashable, Sendable {
    /// The beginning of all names.
    let name: String
    let users: Int
    let channels: Int
    let members: Int

    /// The distance of two members of a channel: odd and no multiple of three, so that neighbours
    /// are at different hosts.
    private static let step = 19

    func user(_ number: Int) -> String { "\(name)-u\(number)" }

    func channel(_ number: Int) -> String { "\(name)-c\(number)" }

    func members(of channel: Int) -> [Int] {
        var found: [Int] = []
        var number = channel % users
        while found.count < min(members, users) {
            while found.contains(number) { number = (number + 1) % users }
            found.append(number)
            number = (number + Self.step) % users
        }
        return found
    }

    /// Returns the channels of each user.
    func channelsOfUsers() -> [[Int]] {
        var channels = [[Int]](repeating: [], count: users)
        for channel in 0..<self.channels {
            for user in members(of: channel) { channels[user].append(channel) }
        }
        return channels
    }
}
