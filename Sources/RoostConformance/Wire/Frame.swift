// SPDX-License-Identifier: Apache-2.0

/// One frame of the server.
package struct Frame: Equatable, Sendable {
    package let command: String
    package let fields: JSON

    package subscript(name: String) -> JSON { fields[name] }

    /// Whether the server refuses a command because too many came before (5.1, 5.2).
    var isOverRate: Bool {
        command == "EROR" && (fields["code"] == 500_910 || fields["code"] == 900_200)
    }

    /// Parses a line: four capital letters and a JSON object.
    init(_ line: Substring) throws(CheckFailure) {
        let command = line.prefix(4)
        guard command.utf8.count == 4,
            command.utf8.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 })
        else {
            throw CheckFailure(
                expected: "a frame of four capital letters and a JSON object (2.2)",
                seen: String(line.prefix(200)))
        }
        do throws(JSON.Fault) {
            fields = try JSON(parsing: String(line.dropFirst(4)))
        } catch {
            throw CheckFailure(
                expected: "JSON behind \(command) (2.2)",
                seen: "\(error.message) At byte \(error.offset) of \(line.dropFirst(4).prefix(200))"
            )
        }
        guard fields.isObject else {
            throw CheckFailure(
                expected: "a JSON object behind \(command) (2.2)", seen: String(line.prefix(200)))
        }
        self.command = String(command)
    }
}

/// One answer of the server to a call.
package struct Answer: Sendable {
    let status: Int
    let retryAfter: String?
    /// The value of the body; missing if it is no JSON.
    let body: JSON
    /// The body's beginning as text.
    let excerpt: String

    package subscript(name: String) -> JSON { body[name] }

    var code: Int64? { body["code"].int }

    /// Whether the answer is an error in the form of 1.3.
    var isRefusal: Bool {
        guard let code, body["error"] == true, body["message"].text?.isEmpty == false else {
            return false
        }
        return status == 400
            || status == 401 && [400_303, 400_309, 400_310, 400_401].contains(code)
    }
}
