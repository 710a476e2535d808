// SPDX-License-Identifier: Apache-2.0

import RoostWire

/// A plan that cannot be used: its place, and the allowed values.
package struct ChaosPlanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the value, such as `faults[2].nth`; empty for the whole plan.
    package let place: String
    package let reason: String

    package var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}

extension ChaosPlan {
    /// Reads a plan from JSON; `docs/chaos.md` describes its form.
    ///
    /// - Throws: An error that names the place and the allowed values.
    package init(json bytes: [UInt8]) throws(ChaosPlanError) {
        guard bytes.count <= Self.fileBytes else {
            throw ChaosPlanError(
                place: "", reason: "A plan has at most \(Self.fileBytes) bytes.")
        }
        let value: JSONValue
        do throws(WireError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw ChaosPlanError(place: "", reason: "The plan is no JSON: \(error.description)")
        }
        try self.init(value)
    }

    private init(_ value: JSONValue) throws(ChaosPlanError) {
        let plan = PlanReader(value, at: "")
        try plan.checkNames(Self.names)
        let seed = try plan.number("seed", in: Self.seeds)
        self.init(seed: UInt64(clamping: seed ?? 1))
        most = try plan.number("most", in: 0...1_000_000).map { Int($0) }
        delayMS = try plan.range("delay_ms", in: Self.delays) ?? delayMS
        stepMS = try plan.range("step_ms", in: Self.steps) ?? stepMS
        busySeconds = try plan.range("busy_s", in: Self.pauses) ?? busySeconds
        for (name, place, rate) in try plan.fields("rates") {
            let kind = try Self.kind(name, at: place)
            rates[kind] = try Self.rate(rate, at: place)
        }
        for fault in try plan.elements("faults", atMost: Self.faultLimit) {
            try fault.checkNames(["kind", "user", "nth"])
            let name = try fault.text("kind", bytes: 1...Self.userBytes)
            let place = try fault.number("nth", in: Self.places)
            guard let name, let place else {
                throw ChaosPlanError(
                    place: fault.place,
                    reason: #"A fault needs kind and nth, such as {"kind":"lost-ack","nth":3}."#)
            }
            faults.insert(
                FixedFault(
                    try Self.kind(name, at: fault.place + ".kind"),
                    user: try fault.text("user", bytes: 0...Self.userBytes), nth: Int(place)))
        }
    }

    private static let names = [
        "seed", "rates", "faults", "most", "delay_ms", "step_ms", "busy_s",
    ]

    private static func kind(_ name: String, at place: String) throws(ChaosPlanError) -> ChaosKind {
        if let kind = ChaosKind(rawValue: name) { return kind }
        throw ChaosPlanError(
            place: place,
            reason: "There is no such kind of fault; allowed: "
                + ChaosKind.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }

    private static func rate(
        _ value: JSONValue, at place: String
    ) throws(ChaosPlanError) -> Double {
        let rate: Double? =
            switch value {
            case .int(let whole): Double(whole)
            case .number(let text): Double(text)
            case .null, .bool, .string, .array, .object: nil
            }
        guard let rate, (0...1).contains(rate) else {
            throw ChaosPlanError(place: place, reason: "A rate is a number from 0 to 1.")
        }
        return rate
    }
}

/// An object of a plan, with its place.
private struct PlanReader {
    let place: String
    private let value: JSONValue

    init(_ value: JSONValue, at place: String) {
        self.value = value
        self.place = place
    }

    private func path(_ name: String) -> String { place.isEmpty ? name : place + "." + name }

    func checkNames(_ names: [String]) throws(ChaosPlanError) {
        guard case .object(let fields) = value else {
            throw ChaosPlanError(place: place, reason: "An object is wanted here.")
        }
        for field in fields where !names.contains(field.name) {
            throw ChaosPlanError(
                place: path(field.name),
                reason: "There is no such field; allowed: " + names.joined(separator: ", ") + ".")
        }
    }

    func number(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(ChaosPlanError) -> Int64? {
        guard let value = value[name] else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw ChaosPlanError(
                place: path(name),
                reason: "A whole number from \(range.lowerBound) to \(range.upperBound) is wanted.")
        }
        return number
    }

    func text(_ name: String, bytes: ClosedRange<Int>) throws(ChaosPlanError) -> String? {
        guard let value = value[name] else { return nil }
        guard let text = value.string, bytes.contains(text.utf8.count) else {
            throw ChaosPlanError(
                place: path(name),
                reason: "A text of \(bytes.lowerBound) to \(bytes.upperBound) bytes is wanted.")
        }
        return text
    }

    /// Returns a range that the plan states as an object of `least` and `most`.
    func range(
        _ name: String, in bounds: ClosedRange<Int64>
    ) throws(ChaosPlanError) -> ClosedRange<Int64>? {
        guard let value = value[name] else { return nil }
        let inner = PlanReader(value, at: path(name))
        try inner.checkNames(["least", "most"])
        guard let least = try inner.number("least", in: bounds),
            let most = try inner.number("most", in: bounds), least <= most
        else {
            throw ChaosPlanError(
                place: path(name),
                reason: "An object with least and most is wanted, of \(bounds.lowerBound) to "
                    + "\(bounds.upperBound), the least first.")
        }
        return least...most
    }

    /// Returns the fields of an inner object, each with its place.
    func fields(
        _ name: String
    ) throws(ChaosPlanError) -> [(name: String, place: String, value: JSONValue)] {
        guard let value = value[name] else { return [] }
        guard case .object(let fields) = value else {
            throw ChaosPlanError(
                place: path(name), reason: "An object of kinds and rates is wanted.")
        }
        return fields.map { ($0.name, path(name) + "." + $0.name, $0.value) }
    }

    /// Returns the elements of a list, each with its place.
    func elements(_ name: String, atMost limit: Int) throws(ChaosPlanError) -> [PlanReader] {
        guard let value = value[name] else { return [] }
        guard let elements = value.array, elements.count <= limit else {
            throw ChaosPlanError(
                place: path(name), reason: "A list of at most \(limit) faults is wanted.")
        }
        return elements.enumerated().map { index, element in
            PlanReader(element, at: "\(path(name))[\(index)]")
        }
    }
}
