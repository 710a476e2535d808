// SPDX-License-Identifier: Apache-2.0

internal import CRoostBenchLimit
internal import RoostWire

/// The data of a server, made from a seed page by page; both sides get the same bytes.
///
/// One task at a time may use it: each page overwrites the last one.
@safe
final class ServerData {
    static let channelCount = Int(ROOST_DATA_CHANNELS)
    static let pageSize = Int(ROOST_DATA_PAGE)

    let messageCount: Int
    let pageCount: Int
    private let data: OpaquePointer

    /// The body of a change log and its counts.
    struct Changes {
        let body: [UInt8]
        let channel: Int
        let count: Int
    }

    init(seed: UInt64, messages: Int) throws(BenchError) {
        // SAFETY: only this object has the pointer, from here to `deinit`; every call below lends
        // it.
        guard let data = unsafe roost_data_make(seed, Int64(messages)) else {
            throw BenchError("There is not enough memory for \(messages) messages.")
        }
        unsafe self.data = unsafe data
        messageCount = messages
        pageCount = Int(unsafe roost_data_page_count(data))
    }

    deinit { unsafe roost_data_free(data) }

    /// Returns a page of one channel; the pages of a channel come newest first, those of all
    /// channels are mixed.
    func page(_ number: Int) -> [UInt8] {
        var channel: Int32 = 0
        return unsafe Self.copy(roost_data_page(data, Int64(number), &channel))
    }

    /// Returns the average number of JSON bytes of a message in some pages; the pages of a small
    /// cache are not full.
    func bytesPerMessage() throws(WireError) -> Int {
        var (bytes, count) = (0, 0)
        for number in stride(from: 0, to: pageCount, by: max(1, pageCount / 20)) {
            let body = page(number)
            var reader = try JSONReader(bytes: body)
            bytes += body.count
            count += try ListMessages.read(&reader).messages.count
        }
        return bytes / max(1, count)
    }

    func channels() -> [UInt8] {
        unsafe Self.copy(roost_data_channels(data))
    }

    /// Returns a message newer than all others, and the message before it in its channel.
    func live(_ number: Int) -> (body: [UInt8], predecessor: Int64) {
        var channel: Int32 = 0
        var predecessor: Int64 = 0
        let body = unsafe Self.copy(
            roost_data_live(data, Int64(number), &channel, &predecessor))
        return (body, predecessor)
    }

    func changes(_ number: Int) -> Changes {
        var (channel, edits, deletions): (Int32, Int32, Int32) = (0, 0, 0)
        let body = unsafe Self.copy(
            roost_data_changes(data, Int64(number), &channel, &edits, &deletions))
        return Changes(body: body, channel: Int(channel), count: Int(edits + deletions))
    }

    func url(_ channel: Int) -> String {
        // SAFETY: the text lives as long as the data, and ends in a zero.
        unsafe String(cString: roost_data_url(data, Int32(channel)))
    }

    /// Returns random places of random channels, the same for the same seed.
    func places(_ count: Int, seed: UInt64) -> [Place] {
        let urls = (0..<Self.channelCount).map(url)
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let channel = Int(state >> 33) % Self.channelCount
            let moment = unsafe roost_data_moment(data, Int32(channel), state >> 20)
            return Place(url: urls[channel], moment: moment)
        }
    }

    /// The end of each page of 100, so that reading from all of them reads every message.
    var everyPlace: [Place] {
        (0..<pageCount).map { number in
            var channel: Int32 = 0
            let moment = unsafe roost_data_page_end(data, Int64(number), &channel)
            return Place(url: url(Int(channel)), moment: moment)
        }
    }

    /// The words to search for: frequent, medium, rare, two at once, and two Chinese characters.
    var searches: [String] {
        let words = [0, 60, 900, 5_000].map {
            unsafe String(cString: roost_data_word(data, $0))
        }
        let characters = unsafe String(cString: roost_data_characters(data))
        return words + ["\(words[0]) \(words[2])", characters]
    }

    /// The pointer for a thread of the limit.
    ///
    /// The thread only reads, so this task may make bytes meanwhile.
    var pointer: OpaquePointer { unsafe data }

    private static func copy(_ bytes: roost_bytes) -> [UInt8] {
        // SAFETY: the bytes are valid until the next request.
        unsafe Array(UnsafeBufferPointer(start: bytes.bytes, count: bytes.length))
    }
}

/// A place from which a page is read.
struct Place: Hashable, Sendable {
    let url: String
    let moment: Int64
}
