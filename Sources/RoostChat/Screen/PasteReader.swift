// SPDX-License-Identifier: Apache-2.0

/// Collects a pasted text between the marks that a terminal puts around it.
///
/// A pasted text of any length is one input. Lines and tabs are kept, and all other control
/// characters left out. A paste without its last mark is over once no text has come for a second;
/// keys that are no text, such as Ctrl-C, do not prolong it.
public struct PasteReader: Sendable {
    /// The longest time between two characters of one paste.
    static let patience = Duration.seconds(1)

    private var text = ""
    private var bytes = 0
    private var isAfterReturn = false

    /// The time at which the paste is over without its last mark; nil outside of a paste.
    public private(set) var deadline: ContinuousClock.Instant?

    public init() {}

    /// Notes the first mark.
    public mutating func begin(at now: ContinuousClock.Instant) {
        // Without the last mark of a paste before, its text and the next one are one paste.
        deadline = now + Self.patience
    }

    /// Adds a key to the paste; returns false outside of a paste, where the key is a key.
    public mutating func take(_ key: Key, at now: ContinuousClock.Instant) -> Bool {
        guard deadline != nil else { return false }
        defer { isAfterReturn = key == .enter }
        switch key {
        case .character(let scalar), .alt(let scalar):
            // An escape in a text makes an `alt` of any character behind it.
            let isControl = scalar.properties.generalCategory == .control
            guard scalar == "\t" || !isControl else { return true }
            append(scalar)
        case .tab: append("\t")
        case .enter: append("\n")
        // The two characters of one line end.
        case .newLine: if !isAfterReturn { append("\n") }
        default: return true
        }
        deadline = now + Self.patience
        return true
    }

    /// Ends the paste and returns it; nil outside of a paste.
    public mutating func end() -> ChatInput? {
        guard deadline != nil else { return nil }
        defer { self = PasteReader() }
        return .paste(text)
    }

    /// Ends a paste whose last mark has not come in time.
    public mutating func end(overdueAt now: ContinuousClock.Instant) -> ChatInput? {
        deadline.map { $0 <= now } == true ? end() : nil
    }

    /// Keeps one character more than the composer does, so that the composer tells of the cut.
    private mutating func append(_ scalar: Unicode.Scalar) {
        guard bytes <= Composer.maxBytes else { return }
        text.unicodeScalars.append(scalar)
        bytes += UTF8.width(scalar)
    }
}
