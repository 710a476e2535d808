// SPDX-License-Identifier: Apache-2.0

import RoostServer
import RoostSockets

/// The failure of a call to S3.
struct S3Failure: Error, Sendable {
    enum Kind: Sendable {
        /// An answer with an error; the code and the region are S3's, where the answer names them.
        case refused(status: Int, code: String?, region: String?)
        case network(SocketError)
        /// An answer that S3 does not give.
        case foreign
        /// Too many calls wait already.
        case crowded
        /// The time of the call is over.
        case late
        /// A file with more parts than S3 joins.
        case tooLarge
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    /// The caller has gone.
    static let cancelled = S3Failure(
        .network(SocketError(.cancelled, "The task that waited was cancelled.")))

    /// The refusal of an answer with an error.
    init(_ response: HTTPClientResponse, _ document: S3Document?) {
        let fields = document?.root == "Error" ? document?.fields ?? [:] : [:]
        self.init(
            .refused(
                status: response.status, code: fields["Code"].flatMap(Self.word),
                region: (fields["Region"] ?? response.headers["x-amz-bucket-region"])
                    .flatMap(Self.word)))
    }

    /// Returns a text of the peer that may stand in a log; nil for any other.
    private static func word(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0)
                || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
        }
        return isPlain && (1...64).contains(text.utf8.count) ? text : nil
    }

    /// The codes of failures that pass, also behind the status 200.
    private static let passing: Set<String> = [
        "InternalError", "ServiceUnavailable", "SlowDown", "RequestTimeout", "OperationAborted",
    ]

    /// Whether the same call may succeed soon.
    ///
    /// Every call may be repeated: the names of files and parts are unique, and a file in parts that was
    /// begun twice leaves one without parts.
    var mayPass: Bool {
        switch kind {
        case .refused(let status, let code, _):
            [408, 429, 500, 502, 503, 504].contains(status)
                || code.map(Self.passing.contains) == true
        case .network(let error):
            switch error.kind {
            case .nameNotFound, .refused, .unreachable, .timedOut, .connectionLost, .tlsFailure:
                true
            default: false
            }
        case .foreign, .crowded, .late, .tooLarge: false
        }
    }

    /// Whether the bucket has no such file.
    ///
    /// A proxy whose S3 server is away may answer 404 too, so the status alone proves nothing.
    var isMissing: Bool {
        guard case .refused(status: 404, let code, _) = kind else { return false }
        return code == "NoSuchKey"
    }

    /// Whether something is missing, and the answer does not say what; so it is with every HEAD.
    var isUnexplained: Bool {
        if case .refused(status: 404, code: nil, _) = kind { true } else { false }
    }

    /// Whether the range begins at or behind the end of the file.
    var isBehindEnd: Bool {
        if case .refused(status: 416, _, _) = kind { true } else { false }
    }

    /// Whether the parts are not known any more: they were joined or forgotten.
    var isUnknownUpload: Bool {
        guard case .refused(let status, let code, _) = kind else { return false }
        return status == 404 && code == "NoSuchUpload"
    }

    /// Whether the caller went away, so that the failure says nothing about S3.
    var isCancelled: Bool {
        guard case .network(let error) = kind else { return false }
        return error.kind == .cancelled || error.kind == .loopStopped
    }

    /// Returns the sentences for the operator: the failure and its remedy, without a key.
    func sentences(_ settings: S3Settings, peer: String) -> String {
        let bucket = settings.bucket
        switch kind {
        case .network(let error):
            return "The files' bucket \(bucket) cannot be reached. \(error.message)"
        case .foreign:
            return "\(peer) does not answer as S3 does: check the variable AWS_ENDPOINT_URL."
        case .crowded:
            return "Too many calls wait for the files' bucket \(bucket) at \(peer); try again "
                + "later."
        case .late:
            return "The files' bucket \(bucket) at \(peer) is too slow; check the network and try "
                + "again later."
        case .tooLarge:
            return "A file is larger than bucket \(bucket) can take in parts of "
                + "\(settings.partBytes) bytes: lower --max-file."
        case .refused(let status, let code, let region):
            return Self.sentence(status, code, region, settings, peer)
        }
    }

    private static func sentence(
        _ status: Int, _ code: String?, _ region: String?, _ settings: S3Settings, _ peer: String
    ) -> String {
        let bucket = settings.bucket
        switch code {
        case "InvalidAccessKeyId":
            return "\(peer) does not know the key of bucket \(bucket): correct the variable "
                + "AWS_ACCESS_KEY_ID."
        case "SignatureDoesNotMatch":
            return "\(peer) refuses the signature for bucket \(bucket): correct the variable "
                + "AWS_SECRET_ACCESS_KEY."
        case "ExpiredToken", "InvalidToken", "TokenRefreshRequired":
            return "The lent keys of bucket \(bucket) are over: renew AWS_SESSION_TOKEN and the "
                + "keys that belong to it."
        case "NoSuchBucket":
            return "There is no bucket \(bucket) at \(peer): create it, or correct --files."
        case "RequestTimeTooSkewed":
            return "The clocks of the database and of \(peer) differ by a quarter of an hour or "
                + "more: correct the wrong one."
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect",
            "IllegalLocationConstraintException":
            return
                "Bucket \(bucket) is in another region than \(settings.region): set the variable "
                + "AWS_REGION\(region.map { " to \($0)" } ?? "")."
        default: break
        }
        let named = "status \(status)" + (code.map { ", \($0)" } ?? "")
        switch status {
        case 301, 307, 308:
            return "Bucket \(bucket) has another address than \(peer) (\(named)): correct "
                + "AWS_REGION\(region.map { ", which may be \($0)," } ?? "") or AWS_ENDPOINT_URL."
        case 401, 403:
            return "\(peer) does not let the key use bucket \(bucket) (\(named)): give the key the "
                + "rights that docs/cluster.md names, or correct --files."
        case 404:
            return "\(peer) does not find it in bucket \(bucket) (\(named)): check the bucket."
        case 500...:
            return "The files' bucket \(bucket) at \(peer) fails (\(named)); try again later."
        default:
            return "\(peer) refuses a call about bucket \(bucket) (\(named)): check that it speaks "
                + "S3 with addresses of the form ENDPOINT/BUCKET."
        }
    }
}
