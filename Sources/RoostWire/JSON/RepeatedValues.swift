// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Values that a page repeats, so that decoding one again costs a comparison.
///
/// A page belongs to one channel and few senders, and the server encodes a sender the same way each
/// time.
struct RepeatedValues {
    private var channelURL: (range: Range<Int>, value: ChannelURL)?
    private var senders: [(range: Range<Int>, value: Sender)] = []
    private var oldest = 0
    private var effects: (range: Range<Int>, value: MessageEffects)?

    private static let senderLimit = 8

    /// Returns the URL whose text begins at `start`, with the end of the text; nil if it was not
    /// met before.
    func channelURL(
        at start: Int, in bytes: [UInt8], before end: Int
    ) -> (ChannelURL, Int)? {
        guard let known = channelURL, bytes.repeats(known.range, at: start, before: end) else {
            return nil
        }
        return (known.value, start + known.range.count)
    }

    mutating func keep(_ value: ChannelURL, from range: Range<Int>) { channelURL = (range, value) }

    /// Returns the effects whose object begins at `start`, with its end; nil if they were not met
    /// before.
    func effects(
        at start: Int, in bytes: [UInt8], before end: Int
    ) -> (MessageEffects, Int)? {
        guard let known = effects, bytes.repeats(known.range, at: start, before: end) else {
            return nil
        }
        return (known.value, start + known.range.count)
    }

    mutating func keep(_ value: MessageEffects, from range: Range<Int>) {
        effects = (range, value)
    }

    /// Returns the sender whose object begins at `start`, with its end; nil if it was not met
    /// before.
    func sender(at start: Int, in bytes: [UInt8], before end: Int) -> (Sender, Int)? {
        for known in senders where bytes.repeats(known.range, at: start, before: end) {
            return (known.value, start + known.range.count)
        }
        return nil
    }

    mutating func keep(_ value: Sender, from range: Range<Int>) {
        if senders.count < Self.senderLimit {
            senders.append((range, value))
        } else {
            senders[oldest] = (range, value)
            oldest = (oldest + 1) % Self.senderLimit
        }
    }
}

extension [UInt8] {
    /// Returns whether the bytes of `range` occur again at `start`.
    ///
    /// Objects and strings mark their own end, so equal bytes are an equal value.
    fileprivate func repeats(_ range: Range<Int>, at start: Int, before end: Int) -> Bool {
        guard range.count <= end - start else { return false }
        var offset = 0
        // Senders differ at the front, in their IDs, so most comparisons end early.
        while range.count - offset >= 8 {
            guard word(at: range.lowerBound + offset) == word(at: start + offset) else {
                return false
            }
            offset += 8
        }
        while offset < range.count {
            guard self[range.lowerBound + offset] == self[start + offset] else { return false }
            offset += 1
        }
        return true
    }
}
