// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct CommitQueueTests {
    private typealias Script = MachineScript

    private static let store = Operation.storing(Storing([.clearAll], from: .local))

    @Test func `one transaction at a time is carried out, in the order of the decisions`() {
        var script = Script()
        let (first, effects) = script.start(Self.store)
        #expect(effects == [.commit(first, [.clearAll], .local, unless: nil)])
        let (second, waiting) = script.start(Self.store)
        let (third, _) = script.start(Self.store)
        #expect(waiting == [])
        let next = script.commit(first, 1)
        #expect(next.contains(.finish(first, .done)))
        #expect(next.contains(.commit(second, [.clearAll], .local, unless: nil)))
        #expect(
            script.commit(second, 2).contains(.commit(third, [.clearAll], .local, unless: nil)))
    }

    @Test func `a refused transaction lets the next one begin`() {
        var script = Script()
        let (first, _) = script.start(Self.store)
        let (second, _) = script.start(Self.store)
        let error = Script.error(.localDatabaseError)
        let effects = script.give(.reply(first, .committed(.failure(error))))
        #expect(effects.contains(.finish(first, .failed(error))))
        #expect(effects.contains(.commit(second, [.clearAll], .local, unless: nil)))
    }

    @Test func `the size of the cache is checked at the first login and every 16 commits`() {
        var script = Script()
        script.login()
        var looks = 0
        for number in 1...64 {
            let (id, _) = script.start(Self.store)
            let effects = script.commit(id, Int64(number))
            for case .keep(let look, .checkLimit) in effects {
                looks += 1
                script.give(.reply(look, .kept(.success(.limit(isReached: false)))))
            }
        }
        #expect(looks == 4)
    }

    @Test func `a trim continues until it is done, with other commits in between`() {
        var script = Script()
        let (id, effects) = script.start(.cacheTrimming(CacheTrimming(downTo: 5)))
        #expect(effects == [.keep(id, .beginTrim(downTo: 5, sparing: []))])
        func progress(_ isDone: Bool) -> Reply {
            .kept(
                .success(
                    .trim(
                        TrimProgress(isDone: isDone, evicted: [], sizeBefore: 9, size: 5), nil)))
        }
        let (other, _) = script.start(Self.store)
        let step = script.give(.reply(id, progress(false)))
        #expect(step == [.commit(other, [.clearAll], .local, unless: nil)])
        #expect(
            script.commit(other).contains(.keep(id, .advanceTrim(sparing: []))))
        let end = script.give(.reply(id, progress(true)))
        #expect(
            end == [
                .finish(
                    id,
                    .trimmed(TrimProgress(isDone: true, evicted: [], sizeBefore: 9, size: 5)))
            ])
    }

    @Test func `clearing a channel removes its messages, returns space and fetches again`() {
        var script = Script()
        let (id, effects) = script.start(.cacheClearing(CacheClearing(.channel(Script.channel))))
        #expect(effects.mutations == [.clearMessages(Script.channel)])
        let trim = script.commit(id)
        #expect(trim.contains(.keep(id, .beginTrim(downTo: .max, sparing: []))))
        let end = script.give(
            .reply(
                id,
                .kept(
                    .success(
                        .trim(
                            TrimProgress(isDone: true, evicted: [], sizeBefore: 0, size: 0), nil)
                    ))))
        #expect(end == [.finish(id, .erased(isComplete: true))])
    }

    @Test func `an erasure reports whether the channel's key is gone`() {
        var script = Script()
        let (id, effects) = script.start(.cacheClearing(CacheClearing(.erasure(Script.channel))))
        #expect(effects == [.keep(id, .erase(Script.channel))])
        let erased = CacheTaskAnswer.erased(
            isComplete: false, Commit(sequence: 1, changes: []))
        _ = script.give(.reply(id, .kept(.success(erased))))
        let progress = TrimProgress(isDone: true, evicted: [], sizeBefore: 0, size: 0)
        let end = script.give(.reply(id, .kept(.success(.trim(progress, nil)))))
        #expect(end == [.finish(id, .erased(isComplete: false))])
    }
}
