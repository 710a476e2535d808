// SPDX-License-Identifier: Apache-2.0

internal import RoostWire

/// The lines that this end writes.
enum NATSRequest {
    static let ping = Array("PING\r\n".utf8)
    static let pong = Array("PONG\r\n".utf8)

    /// The introduction, the one subscription, and a ping whose answer shows that both hold.
    static func joining(_ settings: NATSSettings, _ address: NATSAddress) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("verbose", false)
            writer.field("pedantic", false)
            writer.field("tls_required", address.isSecure)
            writer.field("name", settings.name)
            writer.field("lang", "swift")
            writer.field("version", "1")
            writer.field("protocol", 1)
            // The fan-out serves its own host directly.
            writer.field("echo", false)
            switch address.login {
            case .none: break
            case .token(let token): writer.field("auth_token", token)
            case .password(let user, let password):
                writer.field("user", user)
                writer.field("pass", password)
            }
        }
        return Array("CONNECT \(writer.text)\r\nSUB \(settings.subject) 1\r\n".utf8) + ping
    }

    /// Appends the lines of a message.
    static func add(_ message: [UInt8], to subject: String, _ bytes: inout [UInt8]) {
        bytes += "PUB \(subject) \(message.count)\r\n".utf8
        bytes += message
        bytes += [0x0D, 0x0A]
    }

    /// Whether a text can be a subject, so that it cannot end a line.
    static func isSubject(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1_024
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}
