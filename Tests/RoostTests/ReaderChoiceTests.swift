// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

@testable import Roost

/// The choice of the connection that answers a question of the machine.
struct ReaderChoiceTests {
    private static let channel: ChannelURL = "c"

    @Test(arguments: [1, 2, 3])
    func `a scan is answered by the last reader, and a window by the first`(count: Int) {
        let scans: [StoreQuestion] = [
            .figures, .stretches(Self.channel, in: nil, size: 150),
            .channels(.everything, .latestLastMessage, limit: nil),
        ]
        let window = WindowQuery.around(
            .distantFuture, in: Self.channel, filter: .everything, olderCount: 10, newerCount: 10)
        let others: [StoreQuestion] = [
            .window(window), .channel(Self.channel), .holding(Self.channel),
            .channels(ChannelFilter(), .latestLastMessage, limit: 20),
            .channels(.everything, .latestLastMessage, limit: 20),
        ]
        for question in scans {
            #expect(CachePerformer.reader(of: question, among: count) == count - 1)
        }
        for question in others {
            #expect(CachePerformer.reader(of: question, among: count) == 0)
        }
    }
}
