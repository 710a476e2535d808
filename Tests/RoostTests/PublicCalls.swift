// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The public functions of the product that may wait, and the calls of them in a text.
///
/// A call belongs to a function if its name and the labels of its arguments fit.
enum PublicCalls {
    struct Parameter {
        let label: String
        let hasDefault: Bool
    }

    struct Function {
        let type: String
        let name: String
        let parameters: [Parameter]
        /// The type and the declaration.
        let line: String

        /// Whether a call with these labels can be one of the function.
        func takes(_ labels: [String]) -> Bool {
            var rest = labels[...]
            for parameter in parameters {
                if rest.first == parameter.label {
                    rest.removeFirst()
                } else if !parameter.hasDefault {
                    return false
                }
            }
            return rest.isEmpty
        }
    }

    private struct Call: Hashable {
        let type: String
        let name: String
        let arguments: [String]

        var labels: [String] {
            arguments.map { $0.prefixMatch(of: /(\w+):/).map { String($0.1) } ?? "_" }
        }
    }

    /// Returns the asynchronous functions in `docs/api/Roost.swift`, and all of the client's.
    ///
    /// `PublicAPITests` compares that page with the sources. Static functions make a client, and
    /// those of nested types belong to iterators, which a loop over a sequence calls.
    ///
    /// - Returns: The functions in the order of the page.
    /// - Throws: An error if the page cannot be read.
    static func functions() throws -> [Function] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("docs/api/Roost.swift"), encoding: .utf8)
        var type = ""
        var functions: [Function] = []
        for line in page.split(separator: "\n") {
            let heading = /(?:class|struct|enum|actor|protocol|extension) (\w+)/
            if !line.hasPrefix(" "), let match = line.firstMatch(of: heading) {
                type = String(match.1)
            }
            let member = /[ ]{4}(?! |static )[^(]*func (\w+)(?:<[^>]*>)?\(/
            guard let match = line.prefixMatch(of: member) else { continue }
            let (pieces, rest) = arguments(line[match.range.upperBound...])
            guard type == "ChatClient" || rest.hasPrefix(" async") else { continue }
            let parameters = pieces.map { piece in
                Parameter(
                    label: String(piece.prefix { $0 != " " && $0 != ":" }),
                    hasDefault: piece.contains(" = "))
            }
            functions.append(
                Function(
                    type: type, name: String(match.1), parameters: parameters,
                    line: "\(type): \(line)"))
        }
        return functions
    }

    /// Finds the functions that a text does not call.
    ///
    /// Functions that differ only in types need as many different calls.
    ///
    /// - Parameters:
    ///   - text: The source of the calls.
    ///   - receivers: The types of the names before the dots.
    /// - Returns: The declarations without a call, sorted.
    /// - Throws: An error if the page of the functions cannot be read.
    static func missing(in text: String, by receivers: [String: String]) throws -> [String] {
        var calls: Set<Call> = []
        for match in text.matches(of: /(\w+)\.(\w+)\(/) {
            guard let type = receivers[String(match.1)] else { continue }
            let (pieces, _) = arguments(text[match.range.upperBound...])
            calls.insert(Call(type: type, name: String(match.2), arguments: pieces))
        }
        var missing: [String] = []
        let groups = Dictionary(grouping: try functions()) { [$0.type, $0.name] }
        for (name, group) in groups {
            let made = calls.filter { [$0.type, $0.name] == name }
            for function in group where !made.contains(where: { function.takes($0.labels) }) {
                missing.append(function.line)
            }
            if made.count < group.count {
                missing.append("\(name): \(made.count) calls of \(group.count) functions")
            }
        }
        return missing.sorted()
    }

    /// Divides a text into the arguments before the parenthesis that ends them, and the rest.
    private static func arguments(_ text: Substring) -> (pieces: [String], rest: Substring) {
        var pieces: [String] = []
        var (depth, isQuoted) = (0, false)
        var start = text.startIndex
        for index in text.indices {
            let character = text[index]
            if character == "\"" { isQuoted.toggle() }
            if isQuoted { continue }
            switch character {
            case "(", "[", "{": depth += 1
            case ")" where depth == 0:
                let last = trimmed(text[start..<index])
                return (last.isEmpty ? pieces : pieces + [last], text[index...].dropFirst())
            case ")", "]", "}": depth -= 1
            case "," where depth == 0:
                pieces.append(trimmed(text[start..<index]))
                start = text.index(after: index)
            default: break
            }
        }
        return (pieces, "")
    }

    private static func trimmed(_ text: Substring) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
