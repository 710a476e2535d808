// SPDX-License-Identifier: Apache-2.0

package import RoostSockets
package import RoostWire

/// The signature of a call to S3 (AWS Signature, version 4).
///
/// The signature covers the method, the path, the query, named headers and the body, so that none of
/// them can be changed on the way. It holds for a quarter of an hour.
package struct S3Signature: Sendable {
    private let keys: S3Keys
    private let region: String
    private let service: String

    /// The SHA-256 of no bytes.
    package static let emptyHash = Digest.hex(Digest.sha256([]))

    package init(keys: S3Keys, region: String, service: String = "s3") {
        self.keys = keys
        self.region = region
        self.service = service
    }

    /// The signed parts of a call.
    package struct Call: Sendable {
        package var method: String
        /// The path, percent-encoded as it is sent.
        package var path: String
        package var query: [QueryItem] = []
        /// The signed headers, `Host` and `X-Amz-Date` among them.
        package var headers: HTTPHeaders
        /// The SHA-256 of the body in hexadecimal digits.
        package var bodyHash: String

        package init(
            method: String, path: String, query: [QueryItem] = [], headers: HTTPHeaders,
            bodyHash: String = S3Signature.emptyHash
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.bodyHash = bodyHash
        }
    }

    /// Returns the header `Authorization` of a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - date: Its header `X-Amz-Date`.
    /// - Returns: The header's value.
    package func authorization(of call: Call, at date: String) -> String {
        let fields = call.headers.fields
            .map { (name: $0.name.lowercased(), value: Self.trimmed($0.value)) }
            .sorted { $0.name < $1.name }
        let names = fields.map(\.name).joined(separator: ";")
        let request = [
            call.method, call.path, Self.text(call.query),
            fields.map { "\($0.name):\($0.value)\n" }.joined(), names, call.bodyHash,
        ].joined(separator: "\n")
        let day = String(date.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n" + Digest.sha256(request)
        var key = Array(("AWS4" + keys.secret).utf8)
        for part in [day, region, service, "aws4_request", text] {
            key = Digest.hmacSHA256(Array(part.utf8), key: key)
        }
        return "AWS4-HMAC-SHA256 Credential=\(keys.id)/\(scope), SignedHeaders=\(names), "
            + "Signature=" + Digest.hex(key)
    }

    /// Returns the query in the order in which it is signed.
    package static func text(_ query: [QueryItem]) -> String {
        query.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// Returns a header's value with single blanks, and none at its ends.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }

    /// Returns a moment as `X-Amz-Date` has it, such as `20130524T000000Z`.
    package static func date(_ secondsSince1970: Int64) -> String {
        let time = CivilTime(secondsSince1970)
        func digits(_ number: Int64, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(time.year, 4) + digits(time.month) + digits(time.day) + "T"
            + digits(time.hour) + digits(time.minute) + digits(time.second) + "Z"
    }
}
