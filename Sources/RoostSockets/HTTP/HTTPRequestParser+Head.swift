// SPDX-License-Identifier: Apache-2.0

extension HTTPRequestParser {
    /// The request line and headers, and their statements about the body.
    struct Head: Sendable {
        enum BodyLength: Equatable {
            case none
            case known(Int)
            case chunked
        }

        var method = ""
        var target = ""
        var version = HTTPServerRequest.Version.http11
        var headers = HTTPHeaders()

        init() {}

        init(requestLine line: ArraySlice<UInt8>) throws(HTTPRefusal) {
            let parts = line.split(
                separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenByte) else {
                throw HTTPRefusal(400, "The request line must be a method, a target and a version.")
            }
            method = String(decoding: parts[0], as: UTF8.self)
            version = try Self.version(parts[2])
            target = try Self.target(parts[1], method: method)
        }

        private static func version(
            _ bytes: ArraySlice<UInt8>
        ) throws(HTTPRefusal) -> HTTPServerRequest.Version {
            switch String(decoding: bytes, as: UTF8.self) {
            case "HTTP/1.1": return .http11
            case "HTTP/1.0": return .http10
            case let other where other.isVersion:
                throw HTTPRefusal(505, "This server speaks HTTP/1.1 and HTTP/1.0.")
            default: throw HTTPRefusal(400, "The request line ends with no HTTP version.")
            }
        }

        /// Returns path and query; the absolute form of proxies is cut down to them.
        private static func target(
            _ bytes: ArraySlice<UInt8>, method: String
        ) throws(HTTPRefusal) -> String {
            guard bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw HTTPRefusal(400, "The target must be visible ASCII, percent-encoded.")
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if text.hasPrefix("/") || (text == "*" && method == "OPTIONS") { return text }
            for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
                let rest = text.dropFirst(scheme.count)
                let path = rest.drop { $0 != "/" && $0 != "?" }
                guard rest.startIndex < path.startIndex else { break }
                return path.hasPrefix("/") ? String(path) : "/" + path
            }
            throw HTTPRefusal(400, "The target must begin with a slash.")
        }

        mutating func add(_ field: HTTPHeaders.Field) throws(HTTPRefusal) {
            headers.append(field.name, field.value)
        }

        /// Checks the headers that depend on one another, and returns the length of the body.
        func bodyLength() throws(HTTPRefusal) -> BodyLength {
            try checkHost()
            let lengths = headers.all("Content-Length")
            let codings = headers.all("Transfer-Encoding")
            guard lengths.count <= 1 else {
                throw HTTPRefusal(400, "There is more than one Content-Length.")
            }
            guard codings.isEmpty else {
                guard lengths.isEmpty else {
                    throw HTTPRefusal(
                        400, "Content-Length and Transfer-Encoding exclude each other.")
                }
                guard version == .http11, codings.count == 1 else {
                    throw HTTPRefusal(400, "Transfer-Encoding must stand once, in HTTP/1.1.")
                }
                guard codings[0].equalsIgnoringCase("chunked") else {
                    throw HTTPRefusal(501, "The only transfer coding this server knows is chunked.")
                }
                return .chunked
            }
            guard let text = lengths.first else { return .none }
            let length = try HTTPHead.length(text)
            return length == 0 ? .none : .known(length)
        }

        private func checkHost() throws(HTTPRefusal) {
            let hosts = headers.all("Host")
            guard hosts.count == 1 || (hosts.isEmpty && version == .http10) else {
                throw HTTPRefusal(400, "There must be exactly one Host header.")
            }
            guard
                hosts.allSatisfy({ host in
                    host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !forbiddenInHost.contains($0) }
                })
            else { throw HTTPRefusal(400, "The Host header is not a host and a port.") }
        }

        /// Returns whether the client waits before it sends a body; HTTP/1.0 never does.
        func expectsContinue() throws(HTTPRefusal) -> Bool {
            guard version == .http11, let expectation = headers["Expect"] else { return false }
            guard expectation.equalsIgnoringCase("100-continue") else {
                throw HTTPRefusal(417, "The only expectation this server meets is 100-continue.")
            }
            return true
        }
    }
}

extension String {
    /// Whether the text is an HTTP version of any number: `HTTP/`, a digit, a dot, a digit.
    fileprivate var isVersion: Bool {
        let bytes = Array(utf8)
        return hasPrefix("HTTP/") && bytes.count == 8 && bytes[6] == UInt8(ascii: ".")
            && 0x30...0x39 ~= bytes[5] && 0x30...0x39 ~= bytes[7]
    }
}

/// The bytes that end a host in a URL, refused so that no later reader finds a path or a user name
/// in it.
private let forbiddenInHost: [UInt8] = Array("/?#@\\,;\"<>^`{|}".utf8)
