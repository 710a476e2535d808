// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Reads a whole number exactly; `1e3` and `1.0` are whole, `1.5` and 2^63 are refused.
    package mutating func readInt64() throws(WireError) -> Int64 {
        if let value = readPlainInt64() { return value }
        guard try peek() == .number else { throw wrongType(.number) }
        let start = position
        let scanned = try scanNumber()
        if let value = scanned.wholeValue(in: bytes) { return value }
        throw WireError(
            .outOfRange, offset: start, message: "The number is no whole number of 64 bits.")
    }

    /// Reads a number as the nearest whole one of 64 bits; a fraction is cut off.
    mutating func readNearestInt64() throws(WireError) -> Int64 {
        if let value = readPlainInt64() { return value }
        guard try peek() == .number else { throw wrongType(.number) }
        let scanned = try scanNumber()
        return scanned.wholeValue(in: bytes) ?? scanned.nearestValue(in: bytes)
    }

    /// Reads a positive whole number of up to 18 plain digits; otherwise consumes nothing.
    private mutating func readPlainInt64() -> Int64? {
        var index = position
        var value: Int64 = 0
        while index < end, index - position <= 18 {
            let digit = bytes[index] &- UInt8(ascii: "0")
            if digit > 9 { break }
            value = value &* 10 &+ Int64(digit)
            index += 1
        }
        let count = index - position
        guard count > 0, count <= 18, index < end,
            count == 1 || bytes[position] != UInt8(ascii: "0")
        else { return nil }
        switch bytes[index] {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
            position = index
            return value
        default: return nil
        }
    }

    /// Checks a number against the grammar and returns its parts.
    mutating func scanNumber() throws(WireError) -> ScannedNumber {
        let start = position
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let integer = try scanDigits()
        if integer.count > 1, bytes[integer.lowerBound] == UInt8(ascii: "0") {
            position = integer.lowerBound
            throw malformed("A number cannot begin with a zero.")
        }
        var number = ScannedNumber(
            text: start..<position, isNegative: isNegative, integer: integer,
            fraction: position..<position, exponent: position..<position,
            isExponentNegative: false)
        if position < end, bytes[position] == UInt8(ascii: ".") {
            position += 1
            number.fraction = try scanDigits()
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < end,
                bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+")
            {
                number.isExponentNegative = bytes[position] == UInt8(ascii: "-")
                position += 1
            }
            number.exponent = try scanDigits()
        }
        number.text = start..<position
        return number
    }

    private mutating func scanDigits() throws(WireError) -> Range<Int> {
        let start = position
        while position < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        guard position > start else { throw malformed("A digit is missing.") }
        return start..<position
    }
}

/// A number in the text, divided into its parts.
struct ScannedNumber {
    var text: Range<Int>
    var isNegative: Bool
    var integer: Range<Int>
    var fraction: Range<Int>
    var exponent: Range<Int>
    var isExponentNegative: Bool

    /// Returns the exact value, without a `Double`; nil for a fraction or a value out of range.
    func wholeValue(in bytes: [UInt8]) -> Int64? {
        if fraction.isEmpty, exponent.isEmpty {
            return accumulate(bytes, [integer], dropping: 0, appendingZeros: 0)
        }
        // All digits without the point, and the position of the point after the exponent.
        let digitCount = integer.count + fraction.count
        let significant = digitCount - trailingZeros(bytes)
        if significant == 0 { return 0 }
        guard let exponentValue = exponentValue(bytes) else { return nil }
        let pointAt = integer.count + exponentValue
        guard pointAt >= significant, pointAt - significant <= 19 else { return nil }
        return accumulate(
            bytes, [integer, fraction], dropping: digitCount - significant,
            appendingZeros: pointAt - significant)
    }

    /// Returns the nearest whole number towards zero, or the end of 64 bits for a number beyond it.
    func nearestValue(in bytes: [UInt8]) -> Int64 {
        let value = Double(String(decoding: bytes[text], as: UTF8.self)) ?? 0
        return Int64(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }

    private func trailingZeros(_ bytes: [UInt8]) -> Int {
        let inFraction = fraction.reversed().prefix { bytes[$0] == UInt8(ascii: "0") }.count
        guard inFraction == fraction.count else { return inFraction }
        return inFraction + integer.reversed().prefix { bytes[$0] == UInt8(ascii: "0") }.count
    }

    /// Returns the exponent; nil for more than four digits, which no 64-bit value can have.
    private func exponentValue(_ bytes: [UInt8]) -> Int? {
        var value = 0
        for index in exponent {
            value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            if value > 1_000_000 { return nil }
        }
        return isExponentNegative ? -value : value
    }

    /// Accumulates digits downwards, because the lowest number has no positive counterpart.
    private func accumulate(
        _ bytes: [UInt8], _ ranges: [Range<Int>], dropping: Int, appendingZeros: Int
    ) -> Int64? {
        var value: Int64 = 0
        var left = ranges.reduce(0) { $0 + $1.count } - dropping
        func push(_ digit: Int64) -> Bool {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (difference, underflow) = product.subtractingReportingOverflow(digit)
            value = difference
            return !overflow && !underflow
        }
        for index in ranges.joined() where left > 0 {
            left -= 1
            guard push(Int64(bytes[index] - UInt8(ascii: "0"))) else { return nil }
        }
        for _ in 0..<appendingZeros {
            guard push(0) else { return nil }
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }
}
