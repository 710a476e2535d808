// SPDX-License-Identifier: Apache-2.0

/// One option of a command, such as `--port N`.
package struct Option: Hashable, Sendable {
    /// The value after the name.
    package enum Value: Hashable, Sendable {
        /// No value: the option is present or absent.
        case none
        case text(placeholder: String)
        case number(placeholder: String, ClosedRange<Int>)
    }

    /// The name without the dashes.
    package let name: String
    package let value: Value
    /// The value of an absent option; nil if there is none.
    package let standard: String?
    package let isRequired: Bool
    /// Whether it may be given several times.
    package let mayRepeat: Bool
    package let help: String

    package init(
        _ name: String, _ value: Value = .none, standard: String? = nil, isRequired: Bool = false,
        mayRepeat: Bool = false, help: String
    ) {
        self.name = name
        self.value = value
        self.standard = standard
        self.isRequired = isRequired
        self.mayRepeat = mayRepeat
        self.help = help
    }

    /// The option in a command line, such as `--port N`.
    package var usage: String {
        switch value {
        case .none: "--\(name)"
        case .text(let placeholder), .number(let placeholder, _): "--\(name) \(placeholder)"
        }
    }

    /// The required form of a value, to be read after "needs" or "wants".
    package var wanted: String {
        switch value {
        case .none: "nothing"
        case .text(let placeholder): "a value, \(placeholder)"
        case .number(_, let range) where range.upperBound == .max:
            "a whole number from \(range.lowerBound) up"
        case .number(_, let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

/// An argument of a command that is no option, such as the folder of `roost cache inspect DIR`.
package struct Operand: Hashable, Sendable {
    package let placeholder: String
    package let help: String
    /// Whether more of its kind may follow; only for the last operand of a command.
    package let mayRepeat: Bool

    package init(_ placeholder: String, mayRepeat: Bool = false, help: String) {
        self.placeholder = placeholder
        self.mayRepeat = mayRepeat
        self.help = help
    }

    /// The operand in a usage line.
    var usage: String { mayRepeat ? "\(placeholder)..." : placeholder }
}

/// The arguments of a command, already checked against its options.
package struct Arguments: Hashable, Sendable {
    /// The values of each option, in order; an empty text for an option without a value.
    package internal(set) var values: [String: [String]] = [:]
    package internal(set) var operands: [String] = []

    package init() {}

    package func has(_ option: Option) -> Bool { values[option.name] != nil }

    /// Returns the given value, else the standard one, else nil.
    package func text(_ option: Option) -> String? { values[option.name]?.last ?? option.standard }

    /// Returns every value of an option that may be repeated, in order.
    package func texts(_ option: Option) -> [String] { values[option.name] ?? [] }

    /// Returns the value of an option that is required or has a standard value.
    package func requiredText(_ option: Option) -> String {
        guard let text = text(option) else {
            preconditionFailure("--\(option.name) is neither required nor has a standard value.")
        }
        return text
    }

    /// Returns the given number or the standard one; nil without either.
    package func number(_ option: Option) -> Int? { text(option).flatMap { Int($0) } }
}
