// SPDX-License-Identifier: Apache-2.0

/// Parsers for the lines of request and response heads.
enum HTTPHead {
    /// Parses a header line, strictly: a line that two servers could read differently is refused.
    static func field(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw HTTPRefusal(400, "A header line has no colon.")
        }
        let name = line[..<colon]
        // The check also refuses folded lines and a blank before the colon.
        guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else {
            throw HTTPRefusal(400, "A header name is empty or holds a character it may not.")
        }
        let value = line[(colon + 1)...].trimmingBlanks()
        guard value.allSatisfy(\.mayStandInText) else {
            throw HTTPRefusal(400, "A header value holds a control character.")
        }
        return HTTPHeaders.Field(
            name: String(decoding: name, as: UTF8.self),
            value: String(decoding: value, as: UTF8.self))
    }

    /// Parses a length of digits only; at most 18, which cannot overflow.
    static func length(_ text: String) throws(HTTPRefusal) -> Int {
        let digits = text.utf8
        guard 1...18 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw HTTPRefusal(400, "Content-Length must be one number of at most 18 digits.")
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Parses the size at the front of a chunk's line.
    ///
    /// Extensions are checked for control characters and otherwise ignored.
    static func chunkSize(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> Int {
        let digits = line.prefix { $0.hexValue != nil }
        let rest = line[digits.endIndex...]
        let hasExtension = rest.trimmingBlanks().first == UInt8(ascii: ";")
        guard 1...15 ~= digits.count, rest.isEmpty || hasExtension else {
            throw HTTPRefusal(400, "A chunk's size must be hexadecimal and at most 15 digits.")
        }
        guard rest.allSatisfy(\.mayStandInText) else {
            throw HTTPRefusal(400, "A chunk's extension holds a control character.")
        }
        return digits.reduce(0) { $0 << 4 | Int($1.hexValue ?? 0) }
    }
}

extension UInt8 {
    fileprivate var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
