// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

struct MultipartReaderTests {
    /// Returns the first part of a form with one part.
    private func part(
        _ disposition: String, boundary: String = "B", contentType: String = "boundary=B"
    ) throws -> MultipartReader.Part? {
        var reader = try MultipartReader(contentType: "multipart/form-data; \(contentType)")
        let events = try reader.read(
            Array("--\(boundary)\r\nContent-Disposition: \(disposition)\r\n\r\nx".utf8))
        guard case .part(let part)? = events.first else { return nil }
        return part
    }

    /// Spellings of file names, and the names.
    static let names: [(text: String, name: String)] = [
        ("\"a;b\"", "a;b"), ("\"a; name=c\"", "a; name=c"), ("a.txt", "a.txt"),
        ("\"a\\\"b\"", "a\"b"), ("\"a\\\\b\"", "b"), ("\"C:\\dir\\a.txt\"", "a.txt"),
        ("\"../../x\"", "x"), ("\"a=b\"", "a=b"), ("\"a\" ; x=y", "a"), (" \"a b\" ", "a b"),
        ("\"ü;\u{301}\"", "ü;\u{301}"), ("\"\"", "file"), ("a\"b", "a\"b"),
    ]

    @Test(arguments: names)
    func `a file name keeps the characters inside its quotes`(_ row: (text: String, name: String))
        throws
    {
        let part = try part("form-data; name=\"f\"; filename=\(row.text)")
        #expect(part?.fileName == row.name)
        #expect(part?.name == "f")
    }

    @Test(arguments: [
        "form-data; name=\"a", "form-data; name=\"a\"b", "form-data; name=\"a\\\"",
        "form-data; name=\"\"", "form-data", "form-data; name=\"a\rb\"",
        "form-data; name=\"a\"; filename=\"b\0\"", "form-data; name=\"a\nX: y\"",
    ])
    func `a part with a broken head is refused`(_ disposition: String) {
        #expect(throws: ServerError.self) { _ = try part(disposition) }
    }

    @Test func `the first of two names counts`() throws {
        #expect(try part("form-data; name=a; Name=b")?.name == "a")
    }

    @Test(arguments: [
        ("boundary=\"a;b\"", "a;b"), ("charset=\"x; boundary=y\"; boundary=B", "B"),
        ("boundary=B; charset=utf-8", "B"),
    ])
    func `a quoted boundary is read in full`(contentType: String, boundary: String) throws {
        let part = try part("form-data; name=a", boundary: boundary, contentType: contentType)
        #expect(part?.name == "a")
    }
}
