// SPDX-License-Identifier: Apache-2.0

internal import CRoostBenchLimit

/// The plain C program for the same workloads.
@safe
final class Limit {
    private var limit: OpaquePointer?
    private let path: String

    /// The settings of its file.
    struct Options {
        var waitsForDisk = false
        var hasSearch = false
        /// A longer interval makes bulk loads faster and single commits slower.
        var checkpointPages: Int32 = 1_000
    }

    init(_ path: String, _ options: Options = Options()) throws(BenchError) {
        // SAFETY: only this object has the pointer until `close`; every call below lends it.
        guard let limit = unsafe roost_limit_open(path, Self.options(options)) else {
            throw BenchError("The limit cannot open \(path): give this process access to it.")
        }
        unsafe self.limit = unsafe limit
        self.path = path
    }

    deinit { close() }

    func close() {
        unsafe roost_limit_close(limit)
        unsafe limit = nil
    }

    private static func options(_ options: Options) -> roost_limit_options {
        var chosen = roost_limit_standard()
        chosen.waits_for_disk = options.waitsForDisk
        chosen.has_search = options.hasSearch
        chosen.checkpoint_pages = options.checkpointPages
        return chosen
    }

    func putChannels(_ body: [UInt8]) throws(BenchError) {
        try unsafe check(give(body) { unsafe roost_limit_put_channels($0, $1) })
    }

    func putPage(_ body: [UInt8]) throws(BenchError) {
        try unsafe check(give(body) { unsafe roost_limit_put_page($0, $1) })
    }

    func putLive(_ body: [UInt8]) throws(BenchError) {
        try unsafe check(give(body) { unsafe roost_limit_put_live($0, $1) })
    }

    func applyChanges(_ body: [UInt8]) throws(BenchError) {
        try unsafe check(give(body) { unsafe roost_limit_apply_changes($0, $1) })
    }

    @discardableResult
    func channels(_ count: Int) throws(BenchError) -> Int {
        try check(unsafe roost_limit_read_channels(limit, Int32(count)))
    }

    @discardableResult
    func page(_ place: Place, count: Int) throws(BenchError) -> Int {
        try check(unsafe roost_limit_read_page(limit, place.url, place.moment, Int32(count)))
    }

    @discardableResult
    func search(_ words: String, count: Int) throws(BenchError) -> Int {
        try check(unsafe roost_limit_search(limit, words, Int32(count)))
    }

    func evict(to bytes: Int64) throws(BenchError) {
        try check(unsafe roost_limit_evict(limit, bytes))
    }

    /// Returns the size of the file once its log is part of it.
    func fileBytes() throws(BenchError) -> Int64 {
        try check(unsafe roost_limit_checkpoint(limit))
        return unsafe roost_limit_file_bytes(limit)
    }

    static var sqliteVersion: String { unsafe String(cString: roost_limit_sqlite_version()) }

    private func give(
        _ body: [UInt8], to function: (OpaquePointer?, roost_bytes) -> Int32
    ) -> Int32 {
        // SAFETY: the bytes are lent for the call.
        unsafe body.withUnsafeBufferPointer { bytes in
            unsafe function(limit, roost_bytes(bytes: bytes.baseAddress, length: bytes.count))
        }
    }

    @discardableResult
    private func check(_ answer: Int32) throws(BenchError) -> Int {
        guard answer >= 0 else {
            throw BenchError(
                "The limit failed on \(path): \(unsafe String(cString: roost_limit_error(limit)))")
        }
        return Int(answer)
    }
}

/// A thread of the limit that reads pages while another connection writes.
@safe
final class LimitPager {
    private let pager: OpaquePointer

    init(_ path: String, _ data: ServerData) throws(BenchError) {
        // SAFETY: the data outlives the pager, which reads only its constant parts.
        guard
            let pager = unsafe roost_limit_pager_start(path, roost_limit_standard(), data.pointer)
        else { throw BenchError("The limit cannot read \(path) during a write.") }
        unsafe self.pager = unsafe pager
    }

    /// Ends the thread, once, and returns the microseconds of each page.
    func stop() -> [Double] {
        let capacity = 1 << 20
        // SAFETY: there is room for as many values as the thread may write; it has ended then.
        return unsafe [Double](unsafeUninitializedCapacity: capacity) { micros, count in
            count = unsafe Int(
                roost_limit_pager_stop(pager, micros.baseAddress, Int64(capacity)))
        }
    }
}

/// A queue of unsent messages in plain C, with one durable transaction per append.
@safe
final class LimitQueue {
    private let queue: OpaquePointer

    init(_ path: String) throws(BenchError) {
        // SAFETY: only this object has the pointer until `deinit`; every call lends it.
        guard let queue = unsafe roost_queue_open(path) else {
            throw BenchError("\(path) cannot be used: name another folder in --folder.")
        }
        unsafe self.queue = unsafe queue
    }

    deinit { unsafe roost_queue_close(queue) }

    /// Appends a message.
    func append(_ payload: [UInt8], named name: String, at number: Int) throws(BenchError) {
        let isDone = unsafe payload.withUnsafeBufferPointer { payload in
            let bytes = unsafe roost_bytes(bytes: payload.baseAddress, length: payload.count)
            return unsafe roost_queue_append(queue, name, "channel", Int64(number), bytes)
        }
        guard isDone else { throw BenchError("The limit could not write.") }
    }
}
