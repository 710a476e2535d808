// SPDX-License-Identifier: Apache-2.0

/// The last things that a check sent and received, short and without secrets.
final class Transcript {
    /// The longest line; an answer's beginning says the most.
    private static let lineCharacters = 500
    private static let lineLimit = 6
    /// A text that is shorter is hardly a secret, and would blank half of each line.
    private static let secretCharacters = 6
    private static let secretLimit = 256

    private(set) var lines: [String] = []
    private var secrets: [String]

    init(secret: String) { secrets = secret.isEmpty ? [] : [secret] }

    /// Adds a line, and drops the oldest one beyond the limit.
    func add(_ line: String) {
        if lines.count == Self.lineLimit { lines.removeFirst() }
        lines.append(clean(line))
    }

    /// Learns the secrets that an answer hands out.
    func learn(_ value: JSON) {
        for name in ["key", "ekey", "new_key", "access_token", "token", "session_token"] {
            guard let secret = value[name].text, secret.count >= Self.secretCharacters,
                secrets.count < Self.secretLimit, !secrets.contains(secret)
            else { continue }
            secrets.append(secret)
        }
    }

    /// Returns a text cut to a line's length, its secrets and control characters replaced.
    func clean(_ text: String) -> String {
        // Cut late, so that no part of a secret stays at the cut.
        var cleaned = String(text.prefix(64 * Self.lineCharacters))
        for secret in secrets { cleaned = cleaned.replacing(secret, with: "•••") }
        let hasRest = cleaned.count > Self.lineCharacters
        cleaned = String(
            cleaned.prefix(Self.lineCharacters).map { character in
                character.unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value }
                    ? "·" : character
            })
        return cleaned + (hasRest ? "…" : "")
    }
}
