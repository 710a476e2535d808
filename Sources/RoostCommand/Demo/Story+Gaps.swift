// SPDX-License-Identifier: Apache-2.0

import RoostRequests
import RoostWire

extension Story {
    /// Lets Bob miss one message more than is filled in silently (R113).
    func missTooMany(_ cast: Cast) throws(DemoFailure) {
        let (ada, bo) = (cast.ada, cast.bo)
        try stage.chapter("A long sleep: 301 messages")
        let before = try bo.snapshot()
        try stage.step("Bo is cut off while Ada writes 301 messages") {
            () throws(DemoFailure) in
            try bo.ask(.disconnect)
            bo.forgetEvents()
            try write((1...301).map { "Sheep \($0)" }, by: ada)
        }
        try stage.step("Bo connects and sees a huge gap") { () throws(DemoFailure) in
            try bo.ask(.connect)
            try bo.awaitEvent("huge_gap")
        }
        try stage.step("his list ends at the gap and says that there is more") {
            () throws(DemoFailure) in
            try bo.ask(.waitIdle)
            let seen = try bo.snapshot()
            guard seen.agreed == before.agreed else {
                throw DemoFailure.different(
                    "the list as it was", expected: before.agreed, seen: seen.agreed)
            }
            guard seen.hasHugeGap, seen.hasNewer else {
                throw DemoFailure.expected(
                    "has_huge_gap and has_newer", seen: "\(seen.hasHugeGap), \(seen.hasNewer)")
            }
        }
        try stage.draw()
        try stage.step("opened again and paged back, it is complete") {
            () throws(DemoFailure) in
            try bo.ask(.open, [("channel", .string(cast.channel))])
            try bo.ask(.waitIdle)
            try checkEqual(ada, bo)
        }
    }

    /// As many messages as are filled in silently; returns the number of messages that both show in
    /// the end.
    func missMany(_ cast: Cast) throws(DemoFailure) -> Int {
        let (ada, bo) = (cast.ada, cast.bo)
        try stage.chapter("A shorter one: 300 messages")
        let texts = (1...300).map { "Owl \($0)" }
        try stage.step("Bo is cut off while Ada writes 300 messages") {
            () throws(DemoFailure) in
            try bo.ask(.disconnect)
            bo.forgetEvents()
            try write(texts, by: ada)
        }
        try stage.step("Bo connects, and they are filled in silently") {
            () throws(DemoFailure) in
            try bo.ask(.connect)
            try bo.awaitSnapshot("300 more messages, in order") {
                Array($0.texts.suffix(texts.count)) == texts
            }
            let seen = try bo.snapshot()
            guard !bo.hasEvent("huge_gap"), !seen.hasHugeGap, !seen.hasNewer else {
                throw DemoFailure.expected("no huge gap", seen: "a huge gap, or more to come")
            }
        }
        let count = try stage.step("Ada and Bo see the same, message by message") {
            () throws(DemoFailure) in try checkEqual(ada, bo)
        }
        try stage.draw()
        return count
    }
}
