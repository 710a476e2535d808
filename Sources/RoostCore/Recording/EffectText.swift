// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// A writer of values as text that is the same in every process, without the content of messages.
///
/// The order of sets and dictionaries is no part of the text. Errors are written by their code:
/// their sentences may hold words of a server.
package struct EffectText {
    /// The name that stands for a text.
    private let name: (String) -> String

    package init(naming name: @escaping (String) -> String) { self.name = name }

    /// Returns the text of a value; a long one is cut, and ends with a hash of all of it.
    package func text(of value: Any) -> String {
        let text = write(value)
        guard text.utf8.count > Self.limit else { return text }
        return "\(text.prefix(Self.limit))… #\(String(text.utf8.fnv1a, radix: 16))"
    }

    private static let limit = 300

    private func write(_ value: Any) -> String {
        switch value {
        case let id as RequestID where id.isRandom: return id.rawValue
        case let id as any Identifier: return name(id.rawValue)
        case let text as String: return text.isEmpty ? "\"\"" : name(text)
        // A journal has no bytes, so a replay has none where the session had some. Every empty list
        // can be cast to one of bytes; the type of the value tells them apart.
        case is [UInt8] where type(of: value) == [UInt8].self: return "bytes"
        case let error as RoostError: return "error \(error.code)"
        case let error as ServerError: return "error \(error.code)"
        case let refusal as LinkMachine.Refusal: return "refusal \(refusal.code)"
        case let moment as Timestamp: return "\(moment.milliseconds)"
        case let duration as Duration: return "\(duration)"
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { write($0.value) } ?? "nil"
        case .collection: return "[" + list(mirror) + "]"
        case .set:
            return "{" + mirror.children.map { write($0.value) }.sorted().joined(separator: ", ")
                + "}"
        case .dictionary:
            let pairs = mirror.children.map { child in
                Mirror(reflecting: child.value).children.map { write($0.value) }.joined(
                    separator: ": ")
            }
            return "{" + pairs.sorted().joined(separator: ", ") + "}"
        case .enum:
            guard let payload = mirror.children.first else { return ".\(value)" }
            let content = Mirror(reflecting: payload.value)
            let text =
                content.displayStyle == .tuple ? list(content) : write(payload.value)
            return ".\(payload.label ?? "")(\(text))"
        case .tuple: return "(" + list(mirror) + ")"
        case nil where mirror.children.isEmpty: return "\(value)"
        case .struct where mirror.children.count == 1:
            return mirror.children.map { write($0.value) }.joined()
        default: return "(" + list(mirror) + ")"
        }
    }

    /// Returns the children of a value, with the labels of those that have one.
    ///
    /// An absent value is left out with its label.
    private func list(_ mirror: Mirror) -> String {
        mirror.children.compactMap { child in
            let text = write(child.value)
            guard let label = child.label, !label.hasPrefix(".") else { return text }
            return text == "nil" ? nil : "\(label): \(text)"
        }.joined(separator: ", ")
    }
}
