// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostWire

/// One call to S3, as a value.
struct S3Call: Sendable {
    let method: String
    /// The name of the file in the bucket; nil for a call about the bucket.
    let key: String?
    var query: [QueryItem] = []
    var headers: HTTPHeaders = [:]
    var body: [UInt8] = []
    /// The greatest size of the answer's body.
    var answerBytes = S3Document.byteLimit
    /// The root of the XML in the answer; nil if the status says all.
    var root: String?
    /// The time limit with all attempts and with the waits for a place among the calls.
    let time: Duration
    /// Whether the call reads a file; its callers need no credentials.
    var isRead = false
    /// Whether a failure is logged; the caller of a check says it to the operator.
    var isLogged = true
    /// Whether one attempt may take all of the time, because the answer begins when the work is done.
    var isLong = false

    /// Lists at most one name: proves the address, the keys and the bucket, and reads nothing.
    static func check(_ settings: S3Settings) -> S3Call {
        var call = S3Call(method: "GET", key: nil, time: settings.callTime)
        call.query = [
            QueryItem("list-type", "2"), QueryItem("max-keys", "1"),
            QueryItem("prefix", settings.prefix),
        ]
        call.root = "ListBucketResult"
        call.isLogged = false
        return call
    }

    /// Stores a whole file.
    static func put(
        _ key: String, type: String, _ body: [UInt8], _ settings: S3Settings
    ) -> S3Call {
        var call = S3Call(method: "PUT", key: key, time: settings.transferTime)
        call.headers.append("Content-Type", type)
        call.body = body
        return call
    }

    /// Begins a file in parts.
    static func begin(_ key: String, type: String, _ settings: S3Settings) -> S3Call {
        var call = S3Call(method: "POST", key: key, time: settings.callTime)
        call.query = [QueryItem("uploads", "")]
        call.headers.append("Content-Type", type)
        call.root = "InitiateMultipartUploadResult"
        return call
    }

    /// Stores a part; a repeat replaces it.
    static func part(
        _ number: Int, of key: String, upload: String, _ body: [UInt8], _ settings: S3Settings
    ) -> S3Call {
        var call = S3Call(method: "PUT", key: key, time: settings.transferTime)
        call.query = [QueryItem("partNumber", String(number)), QueryItem("uploadId", upload)]
        call.body = body
        return call
    }

    /// Joins the parts to a file.
    static func join(
        _ key: String, upload: String, tags: [String], _ settings: S3Settings
    ) -> S3Call {
        var call = S3Call(method: "POST", key: key, time: settings.joinTime)
        call.query = [QueryItem("uploadId", upload)]
        var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        for (index, tag) in tags.enumerated() {
            text += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        call.body = Array((text + "</CompleteMultipartUpload>").utf8)
        call.headers.append("Content-Type", "application/xml")
        // The status is sent before the work is done, so the document alone says how it ended.
        call.root = "CompleteMultipartUploadResult"
        call.isLong = true
        return call
    }

    /// Forgets the parts of a file.
    static func abort(_ key: String, upload: String, _ settings: S3Settings) -> S3Call {
        var call = S3Call(method: "DELETE", key: key, time: settings.callTime)
        call.query = [QueryItem("uploadId", upload)]
        return call
    }

    static func delete(_ key: String, _ settings: S3Settings) -> S3Call {
        S3Call(method: "DELETE", key: key, time: settings.callTime)
    }

    /// Asks for the type and the size of a file; `isRead` is false for the check of an upload.
    static func head(_ key: String, _ settings: S3Settings, isRead: Bool) -> S3Call {
        S3Call(method: "HEAD", key: key, time: settings.callTime, isRead: isRead)
    }

    /// Reads a stretch of a file.
    static func read(_ key: String, _ range: Range<Int>, _ settings: S3Settings) -> S3Call {
        var call = S3Call(method: "GET", key: key, time: settings.callTime, isRead: true)
        call.headers.append("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        call.answerBytes = max(range.count, S3Document.byteLimit)
        return call
    }
}

/// A stretch of a file, as the header `Content-Range` describes it.
struct S3ContentRange: Equatable {
    let range: Range<Int>
    /// The size of the whole file.
    let total: Int

    /// Reads a header such as `bytes 0-9/443`; nil if it is another.
    init?(_ text: String) {
        let prefix = "bytes "
        guard text.hasPrefix(prefix) else { return nil }
        let sides = text.dropFirst(prefix.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, let total = Int(sides[1]) else { return nil }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]), first >= 0,
            first <= last, last < total
        else { return nil }
        range = first..<(last + 1)
        self.total = total
    }
}
