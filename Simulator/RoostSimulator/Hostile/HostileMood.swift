// SPDX-License-Identifier: Apache-2.0

import RoostTestKit
import RoostTransport
import RoostWire

/// The faults of a hostile server and their rate.
struct HostileMood: Sendable {
    let traits: [HostileTrait]
    /// The number of spoiled answers and frames per thousand, for each trait.
    let rate: UInt64
    private let random: SimulatedRandom

    init(_ random: SimulatedRandom, only: [HostileTrait]? = nil) {
        self.random = random
        var all = HostileTrait.allCases
        var drawn: [HostileTrait] = []
        for _ in 0..<(1 + Int(random.next() % 5)) {
            drawn.append(all.remove(at: Int(random.next() % UInt64(all.count))))
        }
        traits = only ?? drawn
        rate = [1_000, 300, 60][Int(random.next() % 3)]
    }

    func strikes(_ trait: HostileTrait) -> Bool {
        traits.contains(trait) && random.next() % 1_000 < rate
    }

    // MARK: Values

    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    /// Returns an extreme or invalid number.
    func absurdNumber() -> JSONValue {
        let numbers: [JSONValue] = [
            .int(.max), .int(.min), .int(-1), .int(0), .int(-1_700_000_000_000), .int(1 << 62),
            .int(253_402_300_799_999), .int(.max / 1_000), .int(Int64(Int32.min)),
            .number("1e400"), .number("-1e30"), .number("9223372036854775808"), .number("0.5"),
        ]
        return numbers[pick(numbers.count)]
    }

    private func otherKind() -> JSONValue {
        let values: [JSONValue] = [
            .null, true, 7, "", "x", [], .object([]), [.null, 1, "a"], .number("1.5"),
        ]
        return values[pick(values.count)]
    }

    /// Returns a text that breaks decoders.
    func garbage() -> String {
        let texts = [
            "", "{", "MESG", "MESG{", "MESG{}", "XXXX{}", "\u{0}\u{1}\u{2}", "READ[]", "PONG",
            "LOGI{\"error\":1}", "SYEV{\"cat\":99999999999999999999}", "EXPR{}", "<html></html>",
            "MESG" + Self.nested(300), "LOGI{\"key\":\"k\",\"user_id\":\"x\"}", "MACK{}", "null",
        ]
        return texts[pick(texts.count)]
    }

    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    // MARK: Trees

    /// Changes values of a tree at random, by the traits that spoil values.
    func spoil(_ value: JSONValue) -> JSONValue {
        var value = value
        if strikes(.absurdNumbers) {
            value = changed(value) { mood, value in
                guard case .int = value, mood.pick(6) == 0 else { return nil }
                return mood.absurdNumber()
            }
        }
        if strikes(.wrongTypes) {
            value = changed(value) { mood, value in
                mood.pick(12) == 0 ? mood.otherKind() : nil
            }
        }
        if strikes(.contradictions) {
            value = changed(value) { mood, value in
                guard case .bool(let flag) = value, mood.pick(2) == 0 else { return nil }
                return .bool(!flag)
            }
        }
        if strikes(.unsortedPages) {
            value = changed(value) { mood, value in
                guard case .array(let values) = value, values.count > 1 else { return nil }
                let cut = mood.pick(values.count)
                return .array(Array(values[cut...] + values[..<cut].reversed()))
            }
        }
        if strikes(.foreignItems) {
            value = changed(value) { mood, value in
                guard let channel = value["channel_url"]?.string, value["message_id"] != nil else {
                    return nil
                }
                var other = value
                other["channel_url"] = .string(channel == "c0" ? "c1" : "c0")
                return other
            }
        }
        return value
    }

    /// Replaces values, parents before their children; nil keeps a value and visits its children.
    private func changed(
        _ value: JSONValue, _ change: (HostileMood, JSONValue) -> JSONValue?
    ) -> JSONValue {
        if let other = change(self, value) { return other }
        switch value {
        case .array(let values): return .array(values.map { changed($0, change) })
        case .object(let fields):
            return .object(
                fields.map { JSONValue.Field($0.name, changed($0.value, change)) })
        default: return value
        }
    }

    /// Truncates or nests a text, by the traits that do so.
    func broken(_ text: String) -> String {
        if strikes(.truncation) { return String(text.prefix(pick(text.count + 1))) }
        if strikes(.deepNesting), let brace = text.firstIndex(of: "{") {
            let depth = [100, 127, 128, 129, 5_000][pick(5)]
            let start = text[...brace]
            let rest = text[text.index(after: brace)...]
            return start + "\"data\":" + Self.nested(depth) + (rest == "}" ? "" : ",") + rest
        }
        return text
    }
}
