// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Roost

struct StreamFeedTests {
    @Test func `the streams of a released feed end`() async {
        var feed: StreamFeed<Int>? = StreamFeed(.unbounded)
        let stream = feed?.open(beginningWith: 1)
        feed = nil
        var elements: [Int] = []
        if let stream { for await element in stream { elements.append(element) } }
        #expect(elements == [1])
    }

    @Test func `a reader that has left is forgotten without another element`() async {
        let feed = StreamFeed<Int>(.unbounded)
        for _ in 0..<10 {
            for await _ in feed.open(beginningWith: 1) { break }
        }
        #expect(feed.readerCount == 0)
        var reader = feed.open().makeAsyncIterator()
        #expect(feed.readerCount == 1)
        feed.publish(2)
        #expect(await reader.next() == 2)
    }

    @Test func `a closed feed of steps takes no further steps`() async {
        let feed = StepFeed<ChatEvent>()
        let stream = feed.open()
        feed.publish(.missed(1))
        feed.finish()
        feed.publish(.missed(2))
        var events: [ChatEvent] = []
        for await event in stream { events.append(event) }
        #expect(events == [.missed(1)])
    }

    @Test func `a reader far behind gets every step, the last ones joined`() async {
        let feed = StepFeed<ChatEvent>()
        let stream = feed.open()
        for _ in 0..<300 { feed.publish(.missed(1)) }
        feed.finish()
        var (count, steps) = (0, 0)
        for await event in stream {
            steps += 1
            if case .missed(let number) = event { count += number }
        }
        #expect(count == 300 && steps < 300)
    }
}
