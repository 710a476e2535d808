// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The parameters of a request by name, as a server reads them.
///
/// Parameters of the query and of the body are one set; the body wins. Lists are repeated names or
/// joined by commas; Booleans and numbers may be text (`docs/protocol` 3.0).
package struct RequestFields: Sendable {
    /// The parts of the path that the endpoint's pattern leaves open, in order.
    package let pathParts: [String]
    package let query: [QueryItem]
    package let body: [UInt8]
    private let values: JSONValue
    private let files: [ReceivedForm.File]

    package init(_ request: APIRequest, pathParts: [String]) throws(ServerError) {
        self.pathParts = pathParts
        query = request.query
        if let form = try request.form?.get() {
            files = form.files
            values = Self.values(form.texts)
            // Endpoints that decode the whole body expect JSON.
            body = Array(values.text.utf8)
            return
        }
        files = []
        body = request.body
        do throws(WireError) {
            values =
                request.body.isEmpty
                ? [:] : try JSONValue(parsing: request.body, depth: JSONReader.contentDepth)
        } catch {
            throw ServerError(error)
        }
        guard case .object = values else {
            throw ServerError(.malformedJSON, "The body must be a JSON object.")
        }
    }

    /// Returns the texts of a form; a repeated name is a list.
    private static func values(_ items: [QueryItem]) -> JSONValue {
        var texts: [String: [JSONValue]] = [:]
        for item in items { texts[item.name, default: []].append(.string(item.value)) }
        let fields = items.map(\.name).uniqued.compactMap { name in
            texts[name].map { JSONValue.Field(name, $0.count == 1 ? $0[0] : .array($0)) }
        }
        return .object(fields)
    }

    /// Returns a file of the form by its part's name.
    package func file(_ part: String) -> ReceivedForm.File? { files.first { $0.part == part } }

    /// Creates the parameters of a query alone.
    package init(query: [QueryItem]) throws(ServerError) {
        try self.init(APIRequest(.get, [], query: query), pathParts: [])
    }

    package func string(_ name: String) -> String? {
        switch values[name] {
        case .string(let text): text
        case .int(let value): String(value)
        case .bool(let value): String(value)
        case .number(let text): text
        case nil: query.last { $0.name == name }?.value
        case .null, .array, .object: nil
        }
    }

    /// Returns a required text.
    package func needed(_ name: String) throws(ServerError) -> String {
        guard let text = string(name), !text.isEmpty else {
            throw ServerError(.parameterMissing, "The parameter \(name) is missing.")
        }
        return text
    }

    /// Returns a whole number; one too large for 64 bits counts as the largest.
    package func int64(_ name: String) throws(ServerError) -> Int64? {
        guard let text = string(name), !text.isEmpty, text != "null" else { return nil }
        if let value = JSONReader.wholeNumber(text) { return value }
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard digits.count > 18, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw ServerError(.wrongTypeNumber, "The parameter \(name) must be a whole number.")
        }
        return text.hasPrefix("-") ? .min : .max
    }

    package func int(_ name: String, in range: ClosedRange<Int>) throws(ServerError) -> Int? {
        try int64(name).map { value in
            Int(clamping: value).clamped(to: range)
        }
    }

    /// Returns a Boolean under its name, or under the name that other clients use.
    package func bool(_ name: String, or alias: String? = nil) throws(ServerError) -> Bool? {
        guard let text = string(name) ?? alias.flatMap(string), !text.isEmpty else { return nil }
        guard let value = JSONReader.truth(text) else {
            throw ServerError(
                RoostError.Code(400_104), "The parameter \(name) must be true or false.")
        }
        return value
    }

    /// The greatest number of elements of a list, repetitions included.
    ///
    /// It is the number of users that a call may name; a longer list is refused before it is built.
    package static let listLimit = 10_000

    /// Returns the elements of a list without repetitions, in order of first occurrence.
    ///
    /// White space around elements is removed. Elements with a comma need repeated names or a JSON
    /// list.
    ///
    /// - Parameter names: The names under which clients send the list; the first present one
    ///   counts.
    /// - Returns: The elements; nil if the parameter is absent.
    /// - Throws: 400203 if the list is longer than `listLimit`.
    package func list(_ names: String...) throws(ServerError) -> [String]? {
        try list(among: names)
    }

    private func list(among names: [String]) throws(ServerError) -> [String]? {
        for name in names {
            if let elements = try elements(name) { return elements.exactlyUniqued }
        }
        return nil
    }

    private func elements(_ name: String) throws(ServerError) -> [String]? {
        if let value = values[name] {
            if case .array(let elements) = value {
                try Self.check(elements.count, name)
                return elements.compactMap { element in
                    switch element {
                    case .string(let text): text
                    case .int(let number): String(number)
                    default: nil
                    }
                }
            }
            guard let text = value.string else { return nil }
            return try Self.split(text, name)
        }
        let items = query.lazy.filter { $0.name == name }.map(\.value)
        let texts = Array(items.prefix(Self.listLimit + 1))
        try Self.check(texts.count, name)
        switch texts.count {
        case 0: return nil
        case 1: return try Self.split(texts[0], name)
        default: return texts.map { trim($0[...]) }
        }
    }

    private static func check(_ count: Int, _ name: String) throws(ServerError) {
        guard count > listLimit else { return }
        throw ServerError(
            .tooManyItems, "The list \(name) may name \(listLimit) elements at most.")
    }

    /// Returns the users of a list without repetitions; nil if the parameter is absent.
    package func users(_ names: String...) throws(ServerError) -> [UserID]? {
        try list(among: names)?.filter { !$0.isEmpty }.map { UserID($0) }
    }

    /// Returns a moment of a question, in milliseconds; before 1970 `.distantPast`, after 9999
    /// `.distantFuture`.
    package func moment(_ name: String) throws(ServerError) -> Timestamp? {
        try int64(name).map { value in
            let moment = Timestamp(milliseconds: value)
            if Timestamp.wireRange.contains(moment) { return moment }
            return value < 0 ? .distantPast : .distantFuture
        }
    }

    /// Returns a moment to be stored, in milliseconds.
    ///
    /// - Throws: `.invalidValue` for a moment before 1970 or after the year 9999.
    package func keptMoment(_ name: String) throws(ServerError) -> Timestamp? {
        try int64(name).map { value throws(ServerError) in
            let moment = Timestamp(milliseconds: value)
            guard Timestamp.wireRange.contains(moment) else { throw Self.outOfRange(name) }
            return moment
        }
    }

    /// Returns a moment to be stored, in whole seconds; nil for 0 and less, which mean "never".
    ///
    /// - Throws: `.invalidValue` for a moment after the year 9999.
    package func keptSeconds(_ name: String) throws(ServerError) -> Timestamp? {
        guard let value = try int64(name), value > 0 else { return nil }
        let moment = Timestamp(seconds: value)
        guard Timestamp.wireRange.contains(moment) else { throw Self.outOfRange(name) }
        return moment
    }

    private static func outOfRange(_ name: String) -> ServerError {
        ServerError(
            .invalidValue, "The parameter \(name) must lie between 1970 and the end of 9999.")
    }

    package func messageID(_ name: String) throws(ServerError) -> MessageID? {
        guard let value = try int64(name), value > 0 else { return nil }
        return MessageID(value)
    }

    /// Returns a structured value of the body.
    package func value(_ name: String) -> JSONValue? { values[name] }

    /// The channel in the path, which must be the first open part.
    package var channelURL: ChannelURL { ChannelURL(pathParts[0]) }

    /// Returns the message in the path, which must be the second open part.
    package func pathMessageID() throws(ServerError) -> MessageID {
        guard let value = Int64(pathParts[1]), value > 0 else {
            throw ServerError(.invalidURL, "The message's ID in the path must be a number.")
        }
        return MessageID(value)
    }

    private static func split(
        _ text: String, _ name: String
    ) throws(ServerError) -> [String] {
        let parts = text.split(
            separator: ",", maxSplits: listLimit, omittingEmptySubsequences: false)
        try check(parts.count, name)
        return parts.map(trim)
    }
}

private func trim(_ text: Substring) -> String {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
}

/// A builder of queries that leaves out absent values.
struct QueryBuilder {
    private(set) var items: [QueryItem] = []

    mutating func add(_ name: String, _ value: String?) {
        if let value { items.append(QueryItem(name, value)) }
    }

    mutating func add(_ name: String, _ value: Int?) { add(name, value.map { String($0) }) }

    mutating func add(_ name: String, _ value: Bool?) { add(name, value.map { String($0) }) }

    mutating func add(_ name: String, _ value: Timestamp?) {
        add(name, value.map { String($0.milliseconds) })
    }

    /// Adds a list as a repeated name; a single element with a comma is sent twice, so that it is
    /// not split.
    mutating func add(_ name: String, _ values: [String]?) {
        for value in values ?? [] { add(name, value) }
        if let value = values?.first, values?.count == 1, value.contains(",") { add(name, value) }
    }

    mutating func add(_ items: [QueryItem]) { self.items += items }
}
