// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSealing
import RoostWire

/// One item of a file: the serialised object, in Base64 without line breaks.
struct SerializedLine {
    let text: String

    init(text: String) { self.text = text }

    init(_ message: Message) { self.init(.message(message)) }

    init(_ channel: GroupChannel) { self.init(.channel(channel)) }

    private init(_ object: SerializedObject) {
        text = Data(object.bytes).base64EncodedString()
    }

    var message: Message? {
        guard case .message(let message)? = object, message.messageID != nil else { return nil }
        return message
    }

    var channel: GroupChannel? {
        guard case .channel(let channel)? = object else { return nil }
        return channel
    }

    private var object: SerializedObject? {
        Data(base64Encoded: text).flatMap { SerializedObject(Array($0)) }
    }

    /// Returns the SHA-256 in lower-case hexadecimal digits.
    static func digest(_ text: String) -> String {
        [UInt8].sha256(of: Array(text.utf8))
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
