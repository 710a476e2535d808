// SPDX-License-Identifier: Apache-2.0

/// Describes the difference of a model from the real part of the client or the server.
///
/// The values are long and nearly equal, so only the texts around the first difference are shown.
///
/// - Returns: One sentence; nil if the values are equal.
func contractDifference<Value: Equatable>(_ model: Value, _ real: Value) -> String? {
    guard model != real else { return nil }
    let (modelled, realized) = (Array(text(of: model)), Array(text(of: real)))
    let same = zip(modelled, realized).prefix { $0 == $1 }.count
    func part(_ text: [Character]) -> String {
        String(text[max(0, same - 200)..<min(text.count, same + 100)])
    }
    return "the model has …\(part(modelled))…, the real one …\(part(realized))…"
}

/// Returns all fields of a value as text; sets and dictionaries are in the order of their elements'
/// texts.
private func text(of value: Any) -> String {
    let mirror = Swift.Mirror(reflecting: value)
    let fields = mirror.children.map { child in
        (child.label.map { "\($0): " } ?? "") + text(of: child.value)
    }
    switch mirror.displayStyle {
    case .optional: return fields.first.map { String($0.dropFirst("some: ".count)) } ?? "nil"
    case .set, .dictionary: return "[\(fields.sorted().joined(separator: ", "))]"
    case .collection: return "[\(fields.joined(separator: ", "))]"
    case .enum:
        guard let name = mirror.children.first?.label else { return "\(value)" }
        return "\(name)(\(fields[0].dropFirst(name.count + 2)))"
    default:
        return fields.isEmpty ? "\(value)" : "(\(fields.joined(separator: ", ")))"
    }
}
