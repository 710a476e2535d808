// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A message, a channel or a user as bytes for a store of the app's own (R12 to R20).
///
/// Eleven bytes of header, the object as REST encodes it, then a checksum. Fields have names, so a
/// reader keeps those it does not know. Only a change that would mislead a reader takes a new
/// version. The tests keep golden files of every version.
package enum SerializedObject: Equatable, Sendable {
    case message(Message)
    case channel(GroupChannel)
    /// An open channel, as far as it has the fields of a group channel.
    case openChannel(GroupChannel)
    case user(User)
    case member(Member)
    case sender(Sender)
}

extension SerializedObject {
    /// The user, also of a member or a sender; nil for other objects.
    package var anyUser: User? {
        switch self {
        case .user(let user): user
        case .member(let member): member.user
        case .sender(let sender): sender.user
        case .message, .channel, .openChannel: nil
        }
    }

    private static let magic = Array("ROST".utf8)
    private static let version: UInt8 = 1
    private static let headCount = magic.count + 3 + 4

    private enum Kind: UInt8 {
        case message = 1
        case channel = 2
        case user = 3
        case openChannel = 4
        case member = 5
        case sender = 6
    }

    /// The state of an unsent message, for which the wire has no field.
    private enum State: UInt8 {
        case delivered = 0
        case pending = 1
        case failed = 2
        case canceled = 3
    }

    package var bytes: [UInt8] {
        var writer = JSONWriter()
        let kind: Kind
        var (state, code) = (State.delivered, 0)
        switch self {
        case .message(let message):
            kind = .message
            (state, code) = Self.state(of: message)
            writer.message(state == .delivered ? message : message.standIn)
        case .channel(let channel):
            kind = .channel
            writer.groupChannel(channel)
        case .openChannel(let channel):
            kind = .openChannel
            writer.groupChannel(channel)
        case .user(let user):
            kind = .user
            writer.user(user)
        case .member(let member):
            kind = .member
            writer.member(member)
        case .sender(let sender):
            kind = .sender
            writer.sender(sender)
        }
        var bytes = Self.magic + [Self.version, kind.rawValue, state.rawValue]
        bytes.append(bigEndian: UInt32(bitPattern: Int32(clamping: code)))
        bytes += writer.bytes
        bytes.append(bigEndian: Checksum.crc32(bytes))
        return bytes
    }

    /// Decodes the result of `bytes`, of this release or an earlier one; nil for any other bytes.
    package init?(_ bytes: [UInt8]) {
        let end = bytes.count - 4
        guard end > Self.headCount, bytes.starts(with: Self.magic), bytes[4] == Self.version,
            Checksum.crc32(bytes[..<end]) == bytes.bigEndian(at: end),
            let kind = Kind(rawValue: bytes[5]), let state = State(rawValue: bytes[6]),
            kind == .message || state == .delivered
        else { return nil }
        do throws(WireError) {
            var reader = try JSONReader(bytes: bytes, range: Self.headCount..<end)
            switch kind {
            case .message:
                var message = try reader.readMessage()
                if state != .delivered {
                    guard let requestID = message.requestID else { return nil }
                    let code = Int(Int32(bitPattern: bytes.bigEndian(at: 7)))
                    message.delivery = .unsent(requestID, Self.unsent(state, code))
                }
                self = .message(message)
            case .channel: self = .channel(try reader.readGroupChannel())
            case .openChannel: self = .openChannel(try reader.readGroupChannel())
            case .user: self = .user(try reader.readUser())
            case .member: self = .member(try reader.readMember())
            case .sender:
                guard let sender = try reader.readSenderIfPresent() else { return nil }
                self = .sender(sender)
            }
            try reader.finish()
        } catch {
            return nil
        }
    }

    private static func state(of message: Message) -> (State, code: Int) {
        switch message.delivery {
        case .delivered: (.delivered, 0)
        case .unsent(_, .pending): (.pending, 0)
        case .unsent(_, .failed(let code)): (.failed, code.rawValue)
        case .unsent(_, .canceled): (.canceled, 0)
        }
    }

    private static func unsent(_ state: State, _ code: Int) -> UnsentState {
        switch state {
        case .failed: .failed(RoostError.Code(code))
        case .canceled: .canceled
        case .pending, .delivered: .pending
        }
    }
}

extension Message {
    /// The message with a made-up ID, because the wire has no message without one; the header
    /// removes it again.
    fileprivate var standIn: Message {
        var message = self
        message.delivery = .delivered(MessageID(.max), requestID)
        return message
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: UInt32) {
        for shift in [24, 16, 8, 0] as [UInt32] {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    fileprivate func bigEndian(at offset: Int) -> UInt32 {
        self[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The checksum of Ethernet and ZIP; it detects damage, not malice.
private enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { rest, _ in
            rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0xEDB8_8320
        }
    }

    static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { rest, byte in
            rest >> 8 ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)]
        }
    }
}
