// SPDX-License-Identifier: Apache-2.0

/// One option of a command, such as `--port N`.
package struct Option: Hashable, Sendable {
    /// What stands after the name.
    package enum Value: Hashable, Sendable {
        /// Nothing: the option is there or not.
        case none
        case text(placeholder: String)
        case number(placeholder: String, ClosedRange<Int>)
    }

    /// Without the dashes.
    package let name: String
    package let value: Value
    /// What holds when the option is absent; nil when nothing does.
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

    /// As it is written on the command line, such as `--port N`.
    package var usage: String {
        switch value {
        case .none: "--\(name)"
        case .text(let placeholder), .number(let placeholder, _): "--\(name) \(placeholder)"
        }
    }

    /// What a value must be, to be read after "needs" or "wants".
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

/// A word a command needs that is no option, such as the folder of `roost cache inspect DIR`.
package struct Operand: Hashable, Sendable {
    package let placeholder: String
    package let help: String
    /// It may be followed by more of its kind; only the last operand of a command.
    package let mayRepeat: Bool

    package init(_ placeholder: String, mayRepeat: Bool = false, help: String) {
        self.placeholder = placeholder
        self.mayRepeat = mayRepeat
        self.help = help
    }

    /// As it is written in a usage line.
    var usage: String { mayRepeat ? "\(placeholder)..." : placeholder }
}

/// What a command was called with; checked against its options already.
package struct Arguments: Hashable, Sendable {
    /// What each option was given, in order; an empty text for an option without a value.
    package internal(set) var values: [String: [String]] = [:]
    package internal(set) var operands: [String] = []

    package init() {}

    package func has(_ option: Option) -> Bool { values[option.name] != nil }

    /// The value given, else the standard one, else nil.
    package func text(_ option: Option) -> String? { values[option.name]?.last ?? option.standard }

    /// Every value of an option that may be repeated, in order.
    package func texts(_ option: Option) -> [String] { values[option.name] ?? [] }

    /// The value of an option that is required or has a standard value.
    package func requiredText(_ option: Option) -> String {
        guard let text = text(option) else {
            preconditionFailure("--\(option.name) is neither required nor has a standard value.")
        }
        return text
    }

    /// The number given or the standard one; nil without either.
    package func number(_ option: Option) -> Int? { text(option).flatMap { Int($0) } }
}
