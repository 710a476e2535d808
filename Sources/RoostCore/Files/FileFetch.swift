// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// A file is fetched in ranges (RFC 9110, 14), one after the other. So memory holds one range, a cut
// costs one range, and the copy on disk is continued after a relaunch. Each number of the peer is
// checked: a range must be the one that was asked for, its length that of the body, and the size of
// the file the same in every answer and within the limit.

/// The decisions of the download of one file, without network and disk.
///
/// - Invariant: `0 <= received <= total`, and each kept answer makes `received` grow or ends the
///   download.
package struct FileFetch: Sendable, Equatable {
    /// The unit of the copy on disk in bytes; only the last piece of a file may be shorter.
    package static let piece: Int64 = 65_536
    /// The longest range to ask for; the slowest useful network delivers it within the time limit
    /// of a request.
    static let longestRange = 16 * piece
    static let firstRange = 4 * piece
    /// The number of failures in a row that end a download.
    static let patience = 6
    /// The number of times that a file may change during its download.
    static let greatestChanges = 3

    /// The version of a file and the received part of it.
    package struct Part: Sendable, Hashable {
        /// The size of the file in bytes.
        package var total: Int64
        /// The strong entity tag; "" if the server sends none, so that the part cannot be continued
        /// later.
        package var validator: String
        package var received: Int64

        package init(total: Int64, validator: String, received: Int64) {
            self.total = total
            self.validator = validator
            self.received = received
        }
    }

    /// An answer of the server.
    package struct Answer: Sendable, Equatable {
        package var status: Int
        /// The value of `Content-Range`; nil if missing.
        package var contentRange: String?
        /// The value of `ETag`; nil if missing.
        package var tag: String?
        /// The value of `Last-Modified`; nil if missing.
        package var modified: String?
        /// The number of bytes in the body.
        package var byteCount: Int64

        package init(
            status: Int, contentRange: String?, tag: String?, modified: String? = nil,
            byteCount: Int64
        ) {
            self.status = status
            self.contentRange = contentRange
            self.tag = tag
            self.modified = modified
            self.byteCount = byteCount
        }
    }

    /// The next step of a download.
    package enum Step: Sendable, Equatable {
        /// Keep the first `count` bytes of the body behind `part.received`; 0 begins the copy anew.
        case keep(count: Int64, Part)
        /// Keep the body from its byte `part.received` on: the body is the whole file.
        case keepRest(Part)
        /// Ask again after a pause.
        case ask(after: Duration)
        /// The download has failed.
        case fail(RoostError)
    }

    private let limit: Int64
    /// The known part; nil before the first answer.
    package private(set) var part: Part?
    /// The fields of the first answer that tell versions apart where no tag is strong.
    private var weakVersion: [String?] = []
    private var range = firstRange
    private var failures = 0
    private var changes = 0

    /// Begins a download.
    ///
    /// - Parameters:
    ///   - limit: The greatest size of a file in bytes.
    ///   - part: The part on disk; nil for none.
    package init(limit: Int64, part: Part?) {
        self.limit = limit
        self.part = part
    }

    private var received: Int64 { part?.received ?? 0 }

    /// The first and the last byte of the range to ask for.
    package var asked: (first: Int64, last: Int64) {
        (received, min(received + range, part?.total ?? .max) - 1)
    }

    /// The header fields of the next request.
    package var headers: [(name: String, value: String)] {
        let range = (name: "Range", value: "bytes=\(asked.first)-\(asked.last)")
        guard let part, part.received > 0, !part.validator.isEmpty else { return [range] }
        return [range, (name: "If-Range", value: part.validator)]
    }

    /// Takes an answer.
    package mutating func receive(_ answer: Answer) -> Step {
        switch answer.status {
        case 206: return receivePart(answer)
        case 200:
            // The server uses no ranges, or the file has changed.
            guard answer.byteCount <= limit else { return .fail(.fileTooLarge(limit)) }
            failures = 0
            let whole = Part(
                total: answer.byteCount, validator: Self.validator(answer.tag), received: 0)
            // A server may ignore a range (RFC 9110, 14.2): the body then has the rest too.
            if let part, part.received > 0, !part.validator.isEmpty,
                part.validator == whole.validator, part.total == whole.total
            {
                return .keepRest(part)
            }
            return .keep(count: answer.byteCount, whole)
        case 416:
            if let content = ContentRange(answer.contentRange), content.total == 0 {
                return .keep(
                    count: 0,
                    Part(total: 0, validator: Self.validator(answer.tag), received: 0))
            }
            return received > 0 ? startAgain() : .fail(.refusedFile(answer.status))
        case 408, 425, 429, 500...599: return fail(with: .unservedFile(answer.status))
        default: return .fail(.refusedFile(answer.status))
        }
    }

    private mutating func receivePart(_ answer: Answer) -> Step {
        guard let content = ContentRange(answer.contentRange), let first = content.first,
            let last = content.last, first == asked.first, last <= asked.last,
            answer.byteCount <= last - first + 1
        else { return .fail(.strangeRange) }
        guard content.total <= limit else { return .fail(.fileTooLarge(limit)) }
        let validator = Self.validator(answer.tag)
        if let part, part.total != content.total || part.validator != validator {
            return startAgain()
        }
        // Ranges of two versions are no file (RFC 9110, 15.3.7.3).
        let version = validator.isEmpty ? [answer.tag, answer.modified] : []
        if part == nil { weakVersion = version }
        guard weakVersion == version else { return startAgain() }
        let part = part ?? Part(total: content.total, validator: validator, received: 0)
        // A body that is shorter than its range was cut; its whole pieces are right.
        let isLast = first + answer.byteCount == part.total
        let count =
            isLast ? answer.byteCount : answer.byteCount - answer.byteCount % Self.piece
        guard count > 0 else { return fail(with: .strangeRange) }
        self.part = part
        failures = 0
        range = min(range * 2, Self.longestRange)
        return .keep(count: count, part)
    }

    /// Takes the failure of a request.
    package mutating func receive(_ error: RoostError) -> Step {
        guard error.remedy == .retry, error.code != .requestCanceled else { return .fail(error) }
        return fail(with: error)
    }

    /// Notes the part of the file that is on disk now; nil if it is gone.
    package mutating func note(_ part: Part?) { self.part = part }

    /// Drops the part: the file has another version.
    private mutating func startAgain() -> Step {
        changes += 1
        guard changes < Self.greatestChanges else { return .fail(.changingFile) }
        part = nil
        return .ask(after: .zero)
    }

    private mutating func fail(with error: RoostError) -> Step {
        failures += 1
        guard failures < Self.patience else { return .fail(error) }
        range = Self.piece
        return .ask(after: .seconds(1 << (failures - 1)))
    }

    /// Returns a strong entity tag of reasonable form; "" for any other.
    private static func validator(_ tag: String?) -> String {
        guard let tag, tag.hasPrefix("\""), tag.hasSuffix("\""), (3...200).contains(tag.utf8.count),
            tag.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return "" }
        return tag
    }
}

/// The value of a `Content-Range` in bytes.
struct ContentRange: Equatable {
    /// The first byte; nil if the answer has none.
    let first: Int64?
    /// The last byte; nil if the answer has none.
    let last: Int64?
    let total: Int64

    /// Reads a value such as `bytes 0-99/1000` or `bytes */1000`; nil for any other form, an
    /// unknown size included.
    init?(_ text: String?) {
        guard let text, text.hasPrefix("bytes ") else { return nil }
        let sides = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, let total = Self.number(sides[1]) else { return nil }
        self.total = total
        if sides[0] == "*" {
            (first, last) = (nil, nil)
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < total
        else { return nil }
        (self.first, self.last) = (first, last)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
        return Int64(text)
    }
}

extension RoostError {
    static func fileTooLarge(_ limit: Int64) -> RoostError {
        RoostError(
            .fileTooLarge, remedy: .correctInput,
            message: "The file is larger than the folder of downloaded files may be "
                + "(\(limit) bytes): raise Configuration.downloadsLimit.")
    }

    /// The server gives the file in one answer only, which is longer than one may be.
    package static let unrangedFile = RoostError(
        .fileTooLarge, remedy: .none,
        message: "The server gives no parts of this file, and the whole is larger than one answer "
            + "may be.")

    static func refusedFile(_ status: Int) -> RoostError {
        let code: Code =
            switch status {
            case 401, 403: .notAuthorized
            case 404, 410: .notFound
            default: .requestFailed
            }
        return RoostError(
            code, remedy: .none, message: "The server does not give the file (status \(status)).")
    }

    fileprivate static func unservedFile(_ status: Int) -> RoostError {
        RoostError(
            .requestFailed, remedy: .retry,
            message: "The server cannot give the file now (status \(status)); try again later.")
    }

    static let strangeRange = RoostError(
        .malformedData, remedy: .retry,
        message: "The server answered with another part of the file than it was asked for.")

    static let changingFile = RoostError(
        .requestFailed, remedy: .retry,
        message: "The file changes while it is downloaded; try again later.")
}
