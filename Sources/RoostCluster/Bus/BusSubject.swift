// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
package import RoostServer

/// The subjects of one application on the bus: `roost.APPLICATION.0` to `roost.APPLICATION.255`.
///
/// The key of a notice chooses its subject. Today each host subscribes to all of them, and the
/// order of notices comes from the publisher's one connection. The subjects leave room for hosts
/// that take a part of the traffic only.
package struct BusSubject: Sendable {
    /// The subject with a wildcard for the last part.
    package let all: String
    private let prefix: String

    /// Makes the subjects of an application, whose ID may contain any character.
    package init(application: String) {
        prefix = "roost." + Self.escaped(application) + "."
        all = prefix + "*"
    }

    /// Returns the subject of a key.
    package func of(_ key: some Sequence<UInt8>) -> String { prefix + String(Self.hash(key)) }

    /// Returns the subject of a notice: that of its room, or else of its first recipient.
    ///
    /// A notice does not name its channel. Its frame does, but nothing here reads frames, and no
    /// receiver needs the channel before it has the frame.
    package func of(_ notice: Notice) -> String {
        of((notice.room?.rawValue ?? notice.recipients.first?.rawValue ?? "").utf8)
    }

    /// Returns a text as one part of a subject: letters, digits, `-` and `_` stay.
    ///
    /// Different texts give different parts, so applications on one bus never meet.
    static func escaped(_ text: String) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var part: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                part.append(byte)
            default:
                part += [UInt8(ascii: "="), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        // A part must not be empty, and "=" alone stands for no other text.
        return part.isEmpty ? "=" : String(decoding: part, as: UTF8.self)
    }

    /// Returns the same number on every host and in every version: FNV-1a, folded to a byte.
    static func hash(_ key: some Sequence<UInt8>) -> UInt8 {
        var hash: UInt32 = 2_166_136_261
        for byte in key { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return UInt8(truncatingIfNeeded: hash ^ (hash >> 8) ^ (hash >> 16) ^ (hash >> 24))
    }
}
