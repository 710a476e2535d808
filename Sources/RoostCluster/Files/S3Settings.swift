// SPDX-License-Identifier: Apache-2.0

package import RoostServer
import RoostSockets

/// The keys of an S3 account; no description shows them.
package struct S3Keys: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package let id: String
    package let secret: String
    /// The token of keys that were lent for a time; nil for lasting keys.
    package let sessionToken: String?

    package init(id: String, secret: String, sessionToken: String? = nil) {
        self.id = id
        self.secret = secret
        self.sessionToken = sessionToken
    }

    package var description: String { "S3Keys" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The place of the uploads in a bucket, and the limits of its use.
package struct S3Settings: Sendable {
    /// The address of the S3 server: `http` or `https`, and a path without a slash at its end.
    package var endpoint: String
    package var region: String
    package var bucket: String
    /// The beginning of all names in the bucket: empty, or with a slash at its end.
    package var prefix: String
    package var keys: S3Keys
    /// A file of certificates to trust beside those of the system.
    package var authoritiesFile: String?

    /// The size of an upload's parts; S3 takes no smaller ones.
    package var partBytes = 5_242_880
    /// The most uploads under way; each holds up to one part in memory.
    package var uploadLimit = 100
    /// The most calls under way; each download under way holds a block in memory.
    package var callLimit = 64
    /// The most calls that wait for one of those to end.
    ///
    /// A quarter of both bounds is for writes: anybody can read names that no file has.
    package var waitLimit = 1_000
    /// The size of the stretches in which files are read.
    package var blockBytes = 1_048_576
    /// The most blocks that are kept for later reads.
    package var blockLimit = 32
    /// The most files whose type and size are kept for later reads.
    package var fileLimit = 1_024
    /// The most names without a file that are remembered.
    package var missingLimit = 1_024
    /// The time for which a name without a file is remembered.
    package var missingTime: Duration = .seconds(5)
    /// The most attempts of a call.
    package var attempts = 5
    /// The pause before the second attempt; each further one is three times as long.
    package var firstPause: Duration = .milliseconds(100)
    /// The time limit of one attempt; for a part, of each further piece.
    package var attemptTime: Duration = .seconds(20)
    /// The time limit of a call with all its attempts and its waits for a place.
    package var callTime: Duration = .seconds(30)
    /// The time limit of a part or a small file with all its attempts.
    package var transferTime: Duration = .seconds(90)
    /// The time limit of joining the parts of a file, with all its attempts; a large file takes S3
    /// minutes.
    package var joinTime: Duration = .seconds(240)
    /// The time for what is left to remove when the server ends.
    package var closingTime: Duration = .seconds(5)

    /// The most parts of a file.
    static let partLimit = 10_000

    package init(
        endpoint: String, region: String, bucket: String, prefix: String, keys: S3Keys
    ) {
        self.endpoint = endpoint
        self.region = region
        self.bucket = bucket
        self.prefix = prefix
        self.keys = keys
    }

    /// Returns settings whose parts are large enough for files of this many MiB.
    package func fitting(fileLimitMB: Int) -> S3Settings {
        var settings = self
        let bytes = fileLimitMB.multipliedReportingOverflow(by: 1_048_576)
        let limit = bytes.overflow ? Int.max : bytes.partialValue
        settings.partBytes = max(partBytes, limit / (Self.partLimit - 1) + 1)
        return settings
    }
}

// MARK: Reading

extension S3Settings {
    /// Whether a text names a bucket and no folder.
    package static func isLocation(_ text: String) -> Bool {
        text.lowercased().hasPrefix("s3://")
    }

    /// Reads a location such as `s3://chat-files/roost`, with the keys and the server of the
    /// environment.
    ///
    /// - Throws: A sentence that says what is missing or wrong, without a key in it.
    package init(
        location: String, environment: [String: String]
    ) throws(StorageError) {
        guard let (bucket, prefix) = Self.split(location) else {
            throw StorageError(
                "--files wants a folder or s3://BUCKET/PREFIX: a bucket's name has 3 to 63 small "
                    + "letters, digits, dots and hyphens, a prefix has letters, digits and -_./~.")
        }
        func variable(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let id = variable("AWS_ACCESS_KEY_ID"),
            let secret = variable("AWS_SECRET_ACCESS_KEY")
        else {
            throw StorageError(
                "The keys of the bucket are missing: set the variables AWS_ACCESS_KEY_ID and "
                    + "AWS_SECRET_ACCESS_KEY.")
        }
        let token = variable("AWS_SESSION_TOKEN")
        // All are sent in a header or signed in one.
        for (name, text) in [
            ("AWS_ACCESS_KEY_ID", id), ("AWS_SECRET_ACCESS_KEY", secret),
            ("AWS_SESSION_TOKEN", token ?? ""),
        ] where !text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            throw StorageError(
                "The variable \(name) holds a blank or another character that no key has: copy it "
                    + "again.")
        }
        let named =
            variable("AWS_ENDPOINT_URL_S3").map { ("AWS_ENDPOINT_URL_S3", $0) }
            ?? variable("AWS_ENDPOINT_URL").map { ("AWS_ENDPOINT_URL", $0) }
        let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION")
        // Servers other than Amazon's mostly take this region.
        guard let region = region ?? named.map({ _ in "us-east-1" }), Self.isRegion(region) else {
            throw StorageError(
                "The region of the bucket is missing or no region's name: set the variable "
                    + "AWS_REGION, such as eu-central-1.")
        }
        let endpoint: String
        if let (name, address) = named {
            guard let plain = Self.plain(address) else {
                throw StorageError(
                    "The variable \(name) wants an address such as https://s3.example:9000.")
            }
            endpoint = plain
        } else {
            let end = region.hasPrefix("cn-") ? ".cn" : ""
            endpoint = "https://s3.\(region).amazonaws.com\(end)"
        }
        self.init(
            endpoint: endpoint, region: region, bucket: bucket, prefix: prefix,
            keys: S3Keys(id: id, secret: secret, sessionToken: token))
        authoritiesFile = variable("AWS_CA_BUNDLE")
    }

    private static func split(_ location: String) -> (bucket: String, prefix: String)? {
        guard isLocation(location) else { return nil }
        let parts = location.dropFirst(5).split(
            separator: "/", omittingEmptySubsequences: false)
        guard let bucket = parts.first, isBucket(bucket) else { return nil }
        var segments = parts.dropFirst()
        if segments.last?.isEmpty == true { segments = segments.dropLast() }
        guard segments.allSatisfy(isSegment), location.utf8.count <= 600 else { return nil }
        return (String(bucket), segments.map { $0 + "/" }.joined())
    }

    private static func isBucket(_ text: Substring) -> Bool {
        (3...63).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
            }
            && !text.hasPrefix(".") && !text.hasPrefix("-")
    }

    /// Whether a part of a path stands for itself in a URL.
    private static func isSegment(_ text: Substring) -> Bool {
        !text.isEmpty && text != "." && text != ".."
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0)
                    || (0x30...0x39).contains($0) || "-_.~".utf8.contains($0)
            }
    }

    private static func isRegion(_ text: String) -> Bool {
        text.utf8.count <= 64 && !text.contains(".") && isSegment(text[...])
    }

    /// Returns an address without a slash at its end; nil if it cannot be one of an S3 server.
    private static func plain(_ address: String) -> String? {
        guard address.utf8.count <= 500, !address.contains("?"), !address.contains("#"),
            (try? SocketURL(address, .http)) != nil
        else { return nil }
        let text = address.hasSuffix("/") ? String(address.dropLast()) : address
        // The first three segments are the scheme, nothing, and the host.
        let path = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        return path.allSatisfy(isSegment) ? text : nil
    }
}
