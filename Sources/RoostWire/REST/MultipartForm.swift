// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A body of `multipart/form-data` (RFC 7578), as browsers and upload libraries write it.
package struct MultipartForm: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        package var name: String
        /// Only a file has one, without any folder before it.
        package var fileName: String?
        package var type: String
        package var body: [UInt8]
    }

    /// More than any upload has; a body of a million empty parts is an attack.
    private static let partLimit = 64

    package private(set) var parts: [Part] = []

    /// Takes a body apart.
    ///
    /// - Throws: `.malformedJSON` when it is not built as its content type says.
    package init(_ body: [UInt8], contentType: String) throws(ServerError) {
        guard let boundary = Self.parameter("boundary", of: contentType), !boundary.isEmpty,
            boundary.utf8.count <= 70
        else { throw Self.malformed }
        let mark = Array("--\(boundary)".utf8)
        let next = Array("\r\n--\(boundary)".utf8)
        guard var index = Self.find(mark, in: body, from: 0) else { throw Self.malformed }
        index += mark.count
        while !Self.stands("--", in: body, at: index) {
            guard Self.stands("\r\n", in: body, at: index), parts.count < Self.partLimit,
                let end = Self.find(next, in: body, from: index)
            else { throw Self.malformed }
            parts.append(try Self.part(body[(index + 2)..<max(end, index + 2)]))
            index = end + next.count
        }
    }

    private static let malformed = ServerError(
        .malformedJSON, "The body must be multipart/form-data as its Content-Type says.")

    private static func part(_ bytes: ArraySlice<UInt8>) throws(ServerError) -> Part {
        let source = Array(bytes)
        guard let end = find(Array("\r\n\r\n".utf8), in: source, from: 0) else { throw malformed }
        var part = Part(name: "", fileName: nil, type: "", body: Array(source[(end + 4)...]))
        for line in String(decoding: source[..<end], as: UTF8.self).split(separator: "\r\n") {
            let pieces = line.split(separator: ":", maxSplits: 1)
            guard pieces.count == 2 else { throw malformed }
            let value = String(pieces[1].drop { $0 == " " })
            switch pieces[0].lowercased() {
            case "content-disposition":
                part.name = parameter("name", of: value) ?? ""
                part.fileName = parameter("filename", of: value).map { name in
                    name.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? "file"
                }
            case "content-type": part.type = value
            default: break
            }
        }
        guard !part.name.isEmpty else { throw malformed }
        return part
    }

    /// A parameter of a header's value, with or without quotes.
    private static func parameter(_ name: String, of value: String) -> String? {
        for piece in value.split(separator: ";").dropFirst() {
            let sides = piece.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, sides[0].drop(while: { $0 == " " }).lowercased() == name else {
                continue
            }
            var text = sides[1]
            while text.last == " " { text.removeLast() }
            if text.count >= 2, text.first == "\"", text.last == "\"" {
                text = text.dropFirst().dropLast()
            }
            return String(text)
        }
        return nil
    }

    private static func stands(_ text: String, in bytes: [UInt8], at index: Int) -> Bool {
        bytes.dropFirst(index).starts(with: text.utf8)
    }

    private static func find(_ needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard let first = needle.first, bytes.count >= needle.count else { return nil }
        let last = bytes.count - needle.count
        var index = start
        while index <= last {
            if bytes[index] == first, bytes[index..<(index + needle.count)].elementsEqual(needle) {
                return index
            }
            index += 1
        }
        return nil
    }
}
