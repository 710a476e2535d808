// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

/// The form of a request ID: a UUID in its canonical spelling takes 16 bytes, any other ID its
/// text.
private enum RequestIDForm: UInt8 {
    case text = 0
    case lowercaseUUID = 1
    case uppercaseUUID = 2
}

extension [UInt8] {
    mutating func append(requestID: RequestID) {
        for form in [RequestIDForm.lowercaseUUID, .uppercaseUUID] {
            if let uuid = UUIDText.bytes(requestID.rawValue, letters: form.letters) {
                append(form.rawValue)
                append(contentsOf: uuid)
                return
            }
        }
        append(RequestIDForm.text.rawValue)
        append(text: requestID.rawValue)
    }
}

extension PayloadReader {
    mutating func requestID(_ bytes: Span<UInt8>) throws(PayloadError) -> RequestID {
        guard let form = RequestIDForm(rawValue: try byte(bytes)) else { throw .invalid }
        guard form != .text else { return RequestID(try text(bytes)) }
        return RequestID(try uuid(bytes, letters: form.letters))
    }

    /// Returns the canonical text of 16 bytes.
    private mutating func uuid(
        _ bytes: Span<UInt8>, letters: UInt8
    ) throws(PayloadError) -> String {
        guard bytes.count - offset >= 16 else { throw .truncated }
        let start = offset
        skip(16)
        // SAFETY: 36 bytes are written, all of them ASCII, into room for 36.
        return unsafe String(unsafeUninitializedCapacity: 36) { text in
            var index = 0
            for place in 0..<16 {
                if UUIDText.hasDash(before: place) {
                    unsafe text[index] = UInt8(ascii: "-")
                    index += 1
                }
                let byte = bytes[start + place]
                unsafe text[index] = UUIDText.digit(byte >> 4, letters: letters)
                unsafe text[index + 1] = UUIDText.digit(byte & 0xF, letters: letters)
                index += 2
            }
            return index
        }
    }
}

extension RequestIDForm {
    /// The letter for the digit ten.
    fileprivate var letters: UInt8 {
        self == .uppercaseUUID ? UInt8(ascii: "A") : UInt8(ascii: "a")
    }
}

private enum UUIDText {
    /// Whether a dash precedes a byte, in the 8-4-4-4-12 form.
    static func hasDash(before byte: Int) -> Bool {
        byte == 4 || byte == 6 || byte == 8 || byte == 10
    }

    static func digit(_ value: UInt8, letters: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : letters + value - 10
    }

    /// Returns the bytes of a canonical text whose letters have one case; nil for any other text.
    static func bytes(_ text: String, letters: UInt8) -> [UInt8]? {
        guard text.utf8.count == 36 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var high: UInt8?
        for (index, byte) in text.utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let value: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
            case letters...(letters + 5): value = byte - letters + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
